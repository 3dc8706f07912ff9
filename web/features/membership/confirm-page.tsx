import { useLoaderData } from 'react-router';
import type { AcceptableEvidenceKind } from '#contract/membership.ts';
import { useRootData } from '#web/domain/root-data.ts';
import { ColumnPage } from '#web/ui/column-page.tsx';
import { Confirmed } from './confirmed.tsx';
import type { ConfirmData } from './loaders.ts';
import { confirmForm } from './forms.ts';
import { ConfirmAside, headingOf, Status } from './status.tsx';
import { useMembershipForm } from './use-membership-form.ts';
import { CampusMethod, ClassmatesMethod, CodeMethod, ListMethod } from './methods.tsx';

export function ConfirmPage() {
  const { membership, classmates } = useLoaderData<ConfirmData>();
  const form = useMembershipForm(confirmForm);
  const { hasCampusSignOn } = useRootData().institution;
  const { accepts, status } = membership;
  const isAccepted = (...kinds: AcceptableEvidenceKind[]) => kinds.some((kind) => accepts.includes(kind));
  const isDisputed = status === 'disputed';
  if (status === 'confirmed') return <Confirmed membership={membership} classmates={classmates} />;
  return (
    <ColumnPage title={headingOf(membership)} aside={<ConfirmAside membership={membership} />}>
      <Status membership={membership} form={form} />
      {(!isDisputed || isAccepted('printed-code', 'roster-email')) && (
        <section className="grid gap-4">
          <h2 className="text-lg font-bold">
            {isDisputed ? 'Another way' : membership.isWaiting ? 'Other ways' : 'Choose one way'}
          </h2>
          <div className="border-b border-line">
            {status === 'unconfirmed' && hasCampusSignOn && isAccepted('campus-sign-on') && <CampusMethod />}
            {isAccepted('printed-code', 'roster-email') && <CodeMethod form={form} />}
            {!isDisputed && !membership.isWaiting && isAccepted('roster-email', 'staff-review') && (
              <ListMethod membership={membership} form={form} />
            )}
            {!isDisputed && isAccepted('peer-vouch') && <ClassmatesMethod membership={membership} form={form} />}
          </div>
        </section>
      )}
    </ColumnPage>
  );
}
