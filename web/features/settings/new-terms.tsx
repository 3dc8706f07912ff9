import { Link, useRevalidator } from 'react-router';
import type { AcceptedTerms } from '#contract/identity.ts';
import { termsVersion } from '#contract/terms.ts';
import { paths } from '#web/domain/paths.ts';
import { useAction } from '#web/domain/use-action.ts';
import { callApi } from '#web/platform/api.ts';
import { Button } from '#web/ui/button.tsx';
import { Day } from '#web/ui/day.tsx';

export function NewTerms({ accepted }: { accepted: AcceptedTerms | null }) {
  const { revalidate } = useRevalidator();
  const { isBusy, run } = useAction();
  if (!accepted || accepted.version === termsVersion) return null;

  async function accept() {
    await callApi('POST /api/identity/terms', { body: { terms: termsVersion } });
    await revalidate();
  }

  return (
    <section aria-label="New terms" className="mb-6 grid justify-items-start gap-3 rounded-card bg-wash p-4">
      <p className="max-w-[66ch]">
        Since <Day of={termsVersion} /> there are new{' '}
        <Link className="link" to={paths.terms}>
          terms and conditions
        </Link>{' '}
        and a new{' '}
        <Link className="link" to={paths.privacy}>
          privacy policy
        </Link>
        . Do you accept them?
      </p>
      <Button variant="quiet" busy={isBusy && 'Saving...'} onClick={() => void run(accept)}>
        I accept
      </Button>
    </section>
  );
}
