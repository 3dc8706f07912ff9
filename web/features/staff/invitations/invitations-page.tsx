import { Form, type LoaderFunctionArgs } from 'react-router';
import { formatPeople } from '#contract/counts.ts';
import { announcementApprovalAbove, invitationPauseDays, maxInvitations } from '#contract/staff/values.ts';
import { callApi } from '#web/platform/api.ts';
import { loaderServices } from '#web/platform/loader-services.ts';
import { reword } from '#web/platform/words.ts';
import { Button } from '#web/ui/button.tsx';
import { SelectField, TextField } from '#web/ui/field.tsx';
import { Options } from '#web/ui/options.tsx';
import { Mail } from '../announcements/mail-preview.tsx';
import type { StaffPageProps } from '../define-page.ts';
import { useActions } from '../use-actions.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Section } from '../ui/section.tsx';
import { useApprover } from '../use-rights.ts';

/** The part to invite is in the query of the URL. */
export async function loadInvitations({ context, request: { url } }: LoaderFunctionArgs) {
  const { call } = context.get(loaderServices);
  const { department = '', year = '' } = Object.fromEntries(new URL(url).searchParams);
  const part = { department, year: /^\d{4}$/u.test(year) ? Number(year) : null };
  const query = { department, ...(part.year !== null && { year: part.year }) };
  const [{ departments }, counted] = await Promise.all([
    call('GET /api/staff/coverage'),
    department === '' ? null : call('GET /api/staff/invitations', { query }),
  ]);
  const names = new Set(departments.flatMap(({ department: name }) => name ?? []));
  return { departments: [...names].toSorted(), part, counted };
}

export function InvitationsPage({
  data: { departments, part, counted },
}: StaffPageProps<Awaited<ReturnType<typeof loadInvitations>>>) {
  const { run, dialog } = useActions();
  const approver = useApprover();
  const who = formatPeople(counted?.people ?? 0);

  const invite = () =>
    run(async () => {
      const { result } = await callApi('POST /api/staff/invitations', { body: part });
      return result === 'sending' ? 'Sending has begun' : 'Approval requested. See it under Approvals';
    });

  return (
    <>
      <PageHeader
        title="Invitations"
        lead="Emails to people on the roster who have an email address there and no account. Coverage shows who joined, and has a call list for each class of those without a working address."
      />
      <Form className="grid max-w-xl justify-items-start gap-4">
        <SelectField label={reword('Department')} name="department" defaultValue={part.department}>
          <Options none={null} options={departments} />
        </SelectField>
        <TextField
          label="Year of graduation"
          hint="Leave empty for all years"
          name="year"
          type="number"
          min={1900}
          max={2100}
          defaultValue={part.year ?? ''}
          className="max-w-32"
        />
        <Button type="submit" variant="quiet">
          Count the people
        </Button>
      </Form>
      <p role="status" className="sr-only">
        {counted && `${who} to invite now`}
      </p>
      {counted && (
        <Section
          heading={`${part.department}, ${part.year ?? 'all years'}: ${who} to invite now`}
          hint={`Not counted: people who were invited in the last ${invitationPauseDays} days or ${maxInvitations} times, who want no invitations, whose address is wrong or fails, who have died, or whose data the registrar keeps confidential.`}
        >
          {counted.people > 0 && (
            <div className="grid max-w-xl justify-items-start gap-4">
              <Mail {...counted.mail} />
              <p className="text-sm text-ink-soft">
                Everyone gets this text. The subject of a second or third email begins with “Reminder”.
                {counted.needsApproval
                  ? ` Inviting more than ${announcementApprovalAbove} people within 24 hours needs the approval of ${approver}.`
                  : ' Emails that have been sent cannot be taken back.'}
              </p>
              <Button onClick={invite}>{counted.needsApproval ? 'Request approval' : `Invite ${who}`}</Button>
            </div>
          )}
        </Section>
      )}
      {dialog}
    </>
  );
}
