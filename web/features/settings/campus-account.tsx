import { useRevalidator } from 'react-router';
import type { CampusConnection } from '#contract/campus.ts';
import { usePasswordConfirmation } from '#web/domain/password-dialog.tsx';
import { paths, withParam } from '#web/domain/paths.ts';
import { useRootData } from '#web/domain/root-data.ts';
import { Row } from '#web/domain/second-factor/second-factor.tsx';
import { callApi } from '#web/platform/api.ts';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { Day } from '#web/ui/day.tsx';
import { Group } from '#web/ui/group.tsx';
import { toast } from '#web/ui/toasts.ts';

export function CampusAccount({ connection }: { connection: CampusConnection | null }) {
  const { abbreviation } = useRootData().institution;
  const { revalidate } = useRevalidator();
  const { runWithPassword, dialog } = usePasswordConfirmation();

  const connectPath = paths.campusStart(withParam(paths.settings, 'section', 'security'));

  async function disconnect() {
    await callApi('DELETE /api/identity/campus');
    toast('success', `${abbreviation} account disconnected`);
    await revalidate();
  }

  return (
    <Group
      heading={`${abbreviation} account`}
      hint={
        connection ? 'You can sign in with it. Your password keeps working.' : 'Connect it to sign in with it, too.'
      }
    >
      {connection ? (
        <ul>
          <Row
            title={connection.email}
            text={
              <>
                Connected <Day of={connection.connectedAt} />, last used <Day of={connection.usedAt} />
              </>
            }
          >
            <Button variant="quiet" className="my-2" onClick={() => void runWithPassword(disconnect)}>
              Disconnect
            </Button>
          </Row>
        </ul>
      ) : (
        <ButtonLink variant="quiet" reloadDocument className="justify-self-start" to={connectPath}>
          Connect
        </ButtonLink>
      )}
      {dialog}
    </Group>
  );
}
