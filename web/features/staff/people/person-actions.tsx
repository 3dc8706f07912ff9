import { type ReactNode, useState } from 'react';
import {
  type ClearanceReason,
  clearanceReasons,
  deletionGraceDays,
  suspensionLengths,
} from '#contract/staff/people-values.ts';
import type { PersonFile } from '#contract/staff/people.ts';
import type { StaffRight } from '#contract/staff/values.ts';
import { useUser } from '#web/domain/root-data.ts';
import { callApi } from '#web/platform/api.ts';
import { Button } from '#web/ui/button.tsx';
import { formatDate } from '#web/ui/day.tsx';
import { SelectField, TextArea, TextField } from '#web/ui/field.tsx';
import { Options } from '#web/ui/options.tsx';
import type { KeptTexts } from '../ui/use-kept-texts.ts';
import { ActionDialog } from './action-dialog.tsx';
import { PersonLine } from './person-line.tsx';
import { Section } from '../ui/section.tsx';
import type { RunAction } from '../use-actions.tsx';

interface Action {
  readonly name: string;
  readonly label: string;
  readonly variant?: 'danger';
  readonly title: string;
  readonly content: ReactNode;
  /** @param text returns the trimmed value of a field @returns the text of the toast */
  readonly run: (text: (field: string) => string) => Promise<string>;
}

interface Props {
  person: PersonFile;
  rights: readonly StaffRight[];
  run: RunAction;
}

export function PersonActions({ person, rights, run }: Props) {
  const [open, setOpen] = useState<Action | null>(null);
  const [kept] = useState<KeptTexts>(() => new Map());
  // Only in an archive that confirms its members do users have a membership.
  const requiresConfirmation = Boolean(useUser()?.membership);
  const isConfirmed = requiresConfirmation && person.membership?.status === 'confirmed';
  const actions = [
    ...(rights.includes('change-accounts') && person.account !== null ? changes(person) : []),
    ...(rights.includes('roles') && person.account !== null ? [factorRemoval(person)] : []),
    ...(rights.includes('claims') && isConfirmed ? [withdrawal(person)] : []),
    ...(rights.includes('claims') && requiresConfirmation && person.membership?.impostor ? [clearance(person)] : []),
    ...(rights.includes('suspend-accounts') ? suspensions(person) : []),
    ...(rights.includes('change-accounts') && person.account !== null ? deletion(person) : []),
  ];
  if (actions.length === 0) return null;
  return (
    <Section heading="Actions" hint="Each action asks for your password and is recorded in the audit log.">
      <ul className="grid gap-2">
        {actions.map((action) => (
          <li key={action.name}>
            <Button variant="quiet" className="w-full" onClick={() => setOpen(action)}>
              {action.label}
            </Button>
          </li>
        ))}
      </ul>
      {open && (
        <ActionDialog
          title={open.title}
          kept={kept}
          action={open.label}
          {...(open.variant && { variant: open.variant })}
          onClose={() => setOpen(null)}
          onSubmit={(text) =>
            run(
              () => open.run(text),
              () => {
                kept.clear();
                setOpen(null);
              },
            )
          }
        >
          <PersonLine person={person} />
          {open.content}
        </ActionDialog>
      )}
    </Section>
  );
}

function changes({ id, states }: PersonFile): Action[] {
  const params = { id };
  if (states.includes('suspended') || states.includes('deletion-requested')) return [];
  const isVerified = !states.includes('unverified');
  return [
    {
      name: 'mail',
      label: isVerified ? 'Send a link for a new password' : 'Send the verification email again',
      title: isVerified ? 'Send a link for a new password?' : 'Send the verification email again?',
      content: <p>The email is sent to the address of the account.</p>,
      run: async () => {
        await callApi('POST /api/staff/people/{id}/mails', {
          params,
          body: { mail: isVerified ? 'password-reset' : 'verification' },
        });
        return 'The email is on its way';
      },
    },
    {
      name: 'sessions',
      label: 'Sign out everywhere',
      title: 'Sign this person out on all devices?',
      content: <p>The person gets an email about it and can sign in again with the same password.</p>,
      run: async () => {
        await callApi('DELETE /api/staff/people/{id}/sessions', { params });
        return 'Signed out on all devices';
      },
    },
    {
      name: 'address',
      label: 'Change the email address',
      title: 'Change the email address?',
      content: (
        <>
          <p className="text-sm text-ink-soft">
            {isVerified
              ? 'The person gets an email at the current address, and can refuse for 72 hours. Then, or when an owner approves it before, the new address gets a link. When the link is opened, the address changes. The old address can undo the change for 30 days. Two-step sign-in stays as it is.'
              : 'The address changes at once, because it was never verified. The new address gets a verification link.'}
          </p>
          <TextField label="New address" name="email" type="email" required autoComplete="off" />
          <IdentityCheck />
        </>
      ),
      run: async (text) => {
        const { isPending } = await callApi('PUT /api/staff/people/{id}/email', {
          params,
          body: { email: text('email'), hasCheckedIdentity: true },
        });
        return isPending
          ? 'The new address gets a link in 72 hours, or when an owner approves it'
          : 'The address was changed';
      },
    },
  ];
}

const factorRemoval = ({ id }: PersonFile): Action => ({
  name: 'factor',
  label: 'Remove the second factor of staff',
  title: 'Remove the second factor?',
  content: (
    <>
      <p className="text-sm text-ink-soft">
        For a member of staff who lost it. They sign in with the password, and set up a new one. The staff console then
        opens after 72 hours, or when an owner approves it. For an owner, another owner must approve the removal.
      </p>
      <IdentityCheck />
    </>
  ),
  run: async () => {
    const { result } = await callApi('POST /api/staff/people/{id}/second-factor-reset', {
      params: { id },
      body: { hasCheckedIdentity: true },
    });
    return result === 'removed' ? 'The second factor was removed' : 'Another owner must approve this';
  },
});

const IdentityCheck = () => (
  <label className="flex min-h-11 items-center gap-3">
    <input type="checkbox" name="checked" required className="size-5 shrink-0 accent-brand" />I have checked who is
    asking: in person, by video or with a document
  </label>
);

const withdrawal = ({ id }: PersonFile): Action => ({
  name: 'withdrawal',
  label: 'Withdraw the confirmation',
  variant: 'danger',
  title: 'Withdraw the confirmation?',
  content: (
    <>
      <p className="text-sm text-ink-soft">
        Do this if the person was confirmed by mistake. They then see what guests see, members do not see them, and
        another account can claim their entry on the roster. Nothing is deleted. They get an email with your reason, and
        can claim again.
      </p>
      <TextArea label="Reason (the person reads it)" name="reason" rows={3} maxLength={2000} required />
      <label className="flex min-h-11 items-center gap-3">
        <input type="checkbox" name="isImpostor" className="size-5 shrink-0 accent-brand" />
        This person pretended to be someone else: members who vouched for them cannot vouch for 180 days
      </label>
    </>
  ),
  run: async (text) => {
    await callApi('POST /api/staff/people/{id}/confirmation-withdrawal', {
      params: { id },
      body: { reason: text('reason'), isImpostor: text('isImpostor') !== '' },
    });
    return 'The confirmation was withdrawn';
  },
});

const clearanceWords: Record<ClearanceReason, string> = {
  'saw-person': 'I have seen the person, and they are who they say',
  'saw-document': 'I have seen a document of the person',
  'recorded-by-mistake': 'It was recorded by mistake',
};

const clearance = ({ id }: PersonFile): Action => ({
  name: 'clearance',
  label: 'Clear the impostor record',
  title: 'Clear the impostor record?',
  content: (
    <>
      <p className="text-sm text-ink-soft">The account can be confirmed again, also by a code.</p>
      <SelectField label="Reason" name="reason">
        <Options none={null} options={clearanceReasons.map((reason) => [reason, clearanceWords[reason]])} />
      </SelectField>
    </>
  ),
  run: async (text) => {
    await callApi('POST /api/staff/people/{id}/impostor-clearance', {
      params: { id },
      body: { reason: clearanceReasons.find((reason) => reason === text('reason')) ?? 'saw-person' },
    });
    return 'The record was cleared';
  },
});

function suspensions({ id, suspendedUntil, states }: PersonFile): Action[] {
  const params = { id };
  if (suspendedUntil !== null)
    return [
      {
        name: 'restore',
        label: 'End the suspension',
        title: 'End the suspension now?',
        content: <p>The person can sign in again, and the profile is visible as before. They get an email about it.</p>,
        run: async () => {
          await callApi('DELETE /api/staff/people/{id}/suspension', { params });
          return 'The suspension has ended';
        },
      },
    ];
  if (states.includes('suspended') || states.includes('deletion-requested')) return [];
  return [
    {
      name: 'suspend',
      label: 'Suspend',
      variant: 'danger',
      title: 'Suspend this account?',
      content: (
        <>
          <p className="text-sm text-ink-soft">
            During the suspension, the person cannot sign in, and no one sees their profile and photos. Nothing is
            deleted. They get an email with your message.
          </p>
          <SelectField label="For" name="days" defaultValue="7">
            <Options none={null} options={suspensionLengths.map((days) => [days, `${days} days`])} />
          </SelectField>
          <TextArea label="Message to the person (optional)" name="text" rows={3} maxLength={2000} />
        </>
      ),
      run: async (text) => {
        await callApi('PUT /api/staff/people/{id}/suspension', {
          params,
          body: {
            days: suspensionLengths.find((days) => String(days) === text('days')) ?? 7,
            ...(text('text') !== '' && { text: text('text') }),
          },
        });
        return 'The account is suspended';
      },
    },
  ];
}

function deletion({ id, states }: PersonFile): Action[] {
  if (states.includes('deletion-requested')) return [];
  const isVerified = !states.includes('unverified');
  return [
    {
      name: 'delete',
      label: 'Delete on request',
      variant: 'danger',
      title: 'Delete this account?',
      content: (
        <p>
          {isVerified
            ? `Do this only if the person asked for it. The account is hidden at once. After ${deletionGraceDays} days, it is deleted with all its data. Until then, the person can cancel the deletion with a link in an email.`
            : 'The account is deleted at once, because its address was never verified. This cannot be undone.'}
        </p>
      ),
      run: async () => {
        const { deletesAt } = await callApi('POST /api/staff/people/{id}/deletion', { params: { id } });
        return deletesAt === null
          ? 'The account was deleted'
          : `The account is hidden and will be deleted on ${formatDate(deletesAt)}`;
      },
    },
  ];
}
