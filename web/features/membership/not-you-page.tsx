import { useSearchParams } from 'react-router';
import { fieldLengths } from '#contract/field-lengths.ts';
import { useRootData } from '#web/domain/root-data.ts';
import { Button } from '#web/ui/button.tsx';
import { TextArea } from '#web/ui/field.tsx';
import { AsideSection, ColumnPage } from '#web/ui/column-page.tsx';
import { ResultNote } from './result-note.tsx';
import { disputeForm } from './forms.ts';
import { Steps } from './steps.tsx';
import { useMembershipForm } from './use-membership-form.ts';

/** Opening the link changes nothing, because mail scanners open links too. */
export function NotYouPage() {
  const code = useSearchParams()[0].get('code') ?? '';
  const { institution } = useRootData();
  const form = useMembershipForm(disputeForm);
  const { result } = form;
  return (
    <ColumnPage
      title="Not you?"
      aside={
        <AsideSection title="What happens then">
          <Steps
            steps={[
              { title: 'You tell the alumni office', detail: 'You need no account for this.', state: 'current' },
              { title: 'The office checks the account', detail: 'It asks the other person, too.', state: 'open' },
              { title: 'A person decides', detail: 'Nothing is deleted until then.', state: 'open' },
            ]}
          />
        </AsideSection>
      }
    >
      {result?.success ? (
        <ResultNote result={result} />
      ) : code === '' || result?.status === 404 ? (
        <p role="alert">
          This link does not work. It is incomplete, was used, or has expired. Open the whole link from the email, or
          write to the alumni office.
        </p>
      ) : (
        <form method="post" className="grid max-w-[60ch] gap-4" {...form.props}>
          <p>
            An account in the alumni archive of {institution.name} was confirmed as the person with your email address.
            If that account is not yours, tell the alumni office. They will check it and ask the other person.
          </p>
          <p>If the account is yours, close this page. Nothing happens.</p>
          <TextArea
            label="What should the alumni office know? (optional)"
            rows={4}
            maxLength={fieldLengths.messageMax}
            {...form.field('text')}
          />
          <Button type="submit" className="justify-self-start" busy={form.busy('Sending...')}>
            This is not me
          </Button>
          <ResultNote result={result} />
        </form>
      )}
    </ColumnPage>
  );
}
