import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { type LoaderFunctionArgs, useRevalidator } from 'react-router';
import type { Problem } from '#contract/problem.ts';
import type { GrantedRole, Invitation } from '#contract/staff/roles.ts';
import { type StaffRole, invitationDays, staffRoles } from '#contract/staff/values.ts';
import { messageOf } from '#web/domain/messages.ts';
import { usePasswordConfirmation } from '#web/domain/password-dialog.tsx';
import { useUser } from '#web/domain/root-data.ts';
import { callApi } from '#web/platform/api.ts';
import { readFields } from '#web/platform/form.ts';
import { loaderServices } from '#web/platform/loader-services.ts';
import { reword } from '#web/platform/words.ts';
import { Button } from '#web/ui/button.tsx';
import { Day } from '#web/ui/day.tsx';
import { DateField } from '#web/ui/date-field.tsx';
import { SelectField, TextField } from '#web/ui/field.tsx';
import { Options } from '#web/ui/options.tsx';
import { toast } from '#web/ui/toasts.ts';
import type { StaffPageProps } from '../define-page.ts';
import { roleNames, formatScope } from '../staff-labels.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Row, Rows } from '../ui/rows.tsx';
import { Section } from '../ui/section.tsx';
import { StatusPill } from '../ui/status-pill.tsx';
import { useActions } from '../use-actions.tsx';

export async function loadRoles({ context }: LoaderFunctionArgs) {
  const { call } = context.get(loaderServices);
  const [{ roles, invitations }, { colleges }] = await Promise.all([
    call('GET /api/staff/roles'),
    call('GET /api/institution'),
  ]);
  return { roles, invitations, colleges };
}

type RolesData = Awaited<ReturnType<typeof loadRoles>>;

const roleHints: Record<StaffRole, string> = {
  owner: 'Everything, including roles and approvals. Another owner must approve a new owner.',
  registrar: 'Claims, disputes, corrections, people and announcements. For the whole institution, also the roster.',
  moderator: 'Reports, photos and suspensions.',
  'class-representative':
    'Coverage of their classes, corrections, and announcements to their class. Their vouch alone confirms a classmate.',
};

export function RolesPage({ data: { roles, invitations, colleges } }: StaffPageProps<RolesData>) {
  const { run, dialog } = useActions();
  const user = useUser();
  const [removed, setRemoved] = useState<GrantedRole | null>(null);
  const [changed, setChanged] = useState<GrantedRole | null>(null);

  const withdraw = async ({ id, email }: Invitation) =>
    run(async () => {
      await callApi('DELETE /api/staff/invitations/{id}', { params: { id } });
      return `The invitation of ${email} is withdrawn`;
    });

  const remove = async ({ id, email, role }: GrantedRole) =>
    run(async () => {
      const { result } = await callApi('DELETE /api/staff/roles/{id}', { params: { id } });
      return result === 'removed'
        ? `${email} no longer has the role ${roleNames[role].toLowerCase()}`
        : 'Approval requested. See it under Approvals';
    });

  return (
    <>
      <PageHeader
        title="Roles"
        lead="Who works in the staff console, with which role and for which part of the institution."
      />
      <Rows label="Roles" hasButtons>
        {roles.map((role) => (
          <Row
            key={role.id}
            title={role.name ?? role.email}
            detail={
              <>
                {roleNames[role.role]} · {formatScope(role)}
                {role.name !== null && (
                  <>
                    {' '}
                    · <span className="inline-block max-w-full">{role.email}</span>
                  </>
                )}
                {role.endsAt !== null && (
                  <>
                    {' '}
                    · until <Day of={lastDayOf(role.endsAt)} />
                  </>
                )}
              </>
            }
            aside={
              <>
                {!role.hasSecondFactor && <StatusPill tone="danger">No two-step sign-in</StatusPill>}
                {role.role !== 'owner' && (
                  <Button variant="bare" className="max-sm:-ml-4" onClick={() => setChanged(role)}>
                    Change<span className="sr-only"> {`${role.email}, ${roleNames[role.role]}`}</span>
                  </Button>
                )}
                <Button variant="quiet" onClick={() => setRemoved(role)}>
                  Remove<span className="sr-only"> {`${role.email}, ${roleNames[role.role]}`}</span>
                </Button>
              </>
            }
          />
        ))}
      </Rows>
      {invitations.length > 0 && (
        <Section
          heading="Invitations"
          hint="The role is given when an account has verified exactly this address. Another owner must then approve the role of an owner."
        >
          <Rows label="Staff invitations" hasButtons>
            {invitations.map((one) => (
              <Row
                key={one.id}
                title={one.email}
                detail={
                  <>
                    {roleNames[one.role]} · {formatScope(one)} · invited by {one.invitedBy} · until{' '}
                    <Day of={one.expiresAt} />
                  </>
                }
                aside={
                  <Button variant="quiet" onClick={() => void withdraw(one)}>
                    Withdraw<span className="sr-only"> {`${one.email}, ${roleNames[one.role]}`}</span>
                  </Button>
                }
              />
            ))}
          </Rows>
        </Section>
      )}
      <Section
        heading={changed ? `Change the role of ${changed.email}` : 'Add staff'}
        hint={
          changed
            ? 'The new role replaces the old one at once.'
            : `If no account has verified this address yet, the person gets an invitation that is valid for ${invitationDays} days. The role has no effect until the account has two-step sign-in.`
        }
      >
        <RoleForm key={changed?.id} changed={changed} onClose={() => setChanged(null)} colleges={colleges} />
      </Section>
      {removed && (
        <ConfirmDialog
          title={`Remove the role of ${removed.email}?`}
          action="Remove"
          busy="Removing..."
          onClose={() => setRemoved(null)}
          onConfirm={async () => {
            setRemoved(null);
            await remove(removed);
          }}
        >
          <p>
            {removed.email} will lose the role {roleNames[removed.role].toLowerCase()} ({formatScope(removed)}) and get
            an email about it. The account and the profile remain.
          </p>
          {removed.role === 'owner' && removed.email !== user?.email && (
            <p>Another owner must approve this first, under Approvals.</p>
          )}
        </ConfirmDialog>
      )}
      {dialog}
    </>
  );
}

interface FormProps {
  changed: GrantedRole | null;
  onClose: () => void;
  colleges: RolesData['colleges'];
}

function RoleForm({ changed, onClose, colleges }: FormProps) {
  const { revalidate } = useRevalidator();
  const { runWithPassword, dialog } = usePasswordConfirmation();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (changed) form.current?.querySelector('select')?.focus();
  }, [changed]);
  const [role, setRole] = useState<StaffRole>(changed?.role ?? 'registrar');
  const [isBusy, setIsBusy] = useState(false);
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const isClass = role === 'class-representative';

  async function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const formElement = event.currentTarget;
    const fields = readFields(new FormData(formElement));
    const text = (name: string) => fields[name]?.trim() || null;
    const year = (name: string) => (isClass ? Number(text(name)) : null);
    setIsBusy(true);
    setErrors({});
    const showProblem = (problem: Problem) => {
      const invalid = (problem.errors ?? []).map(({ pointer, message }) => [pointer.slice(1), message] as const);
      flushSync(() => setErrors(Object.fromEntries(invalid)));
      const field = formElement.querySelector<HTMLElement>('[aria-invalid=true]');
      if (field) field.focus();
      else toast('error', messageOf(problem));
    };
    await runWithPassword(async () => {
      const email = text('email') ?? '';
      const { result } = await callApi('POST /api/staff/roles', {
        body: {
          email,
          role,
          college: isClass ? null : text('college'),
          department: isClass ? text('department') : null,
          yearFrom: year('yearFrom'),
          yearTo: year('yearTo'),
          lastDay: text('lastDay'),
          ...(changed && { replaces: changed.id }),
        },
      });
      toast(
        'success',
        result === 'granted'
          ? `${email} now has the role ${roleNames[role].toLowerCase()}`
          : result === 'invited'
            ? `${email} is invited by email`
            : 'Approval requested. See it under Approvals',
      );
      formElement.reset();
      onClose();
      await revalidate();
    }, showProblem);
    setIsBusy(false);
  }

  return (
    <>
      <form ref={form} className="grid max-w-xl gap-4" onSubmit={submit}>
        <TextField
          label="Email address"
          name="email"
          type="email"
          required
          autoComplete="off"
          readOnly={changed !== null}
          defaultValue={changed?.email}
          error={errors['email']}
        />
        <SelectField
          label="Role"
          name="role"
          hint={roleHints[role]}
          value={role}
          onChange={(event) => setRole(staffRoles.find((one) => one === event.target.value) ?? 'registrar')}
        >
          <Options none={null} options={staffRoles.map((one) => [one, roleNames[one]])} />
        </SelectField>
        {(role === 'registrar' || role === 'moderator') && (
          <SelectField label="Part of the institution" name="college" defaultValue={changed?.college ?? ''}>
            <Options
              none="Whole institution"
              options={colleges.map(({ code, name }) => [code, code === name ? code : `${code}, ${name}`])}
            />
          </SelectField>
        )}
        {isClass && (
          <div className="grid gap-4 sm:grid-cols-[1fr_7rem_7rem]">
            <TextField
              label={reword('Department')}
              name="department"
              required
              list="departments"
              autoComplete="off"
              defaultValue={changed?.department ?? ''}
            />
            <datalist id="departments">
              {colleges
                .flatMap(({ departments }) => departments)
                .map((department) => (
                  <option key={department} value={department} />
                ))}
            </datalist>
            {(['yearFrom', 'yearTo'] as const).map((name) => (
              <TextField
                key={name}
                label={name === 'yearFrom' ? 'Years from' : 'to'}
                name={name}
                type="number"
                required
                min={1900}
                max={2200}
                defaultValue={changed?.[name] ?? ''}
              />
            ))}
          </div>
        )}
        <DateField
          label="Last day (optional)"
          name="lastDay"
          hint="The person gets an email 30 days before. Without a date, the role does not end."
          error={errors['lastDay']}
          defaultValue={changed?.endsAt ? lastDayOf(changed.endsAt).slice(0, 10) : ''}
        />
        <div className="flex flex-wrap gap-3">
          <Button type="submit" busy={isBusy && 'Please wait...'}>
            {changed ? 'Change the role' : 'Add staff'}
          </Button>
          {changed && (
            <Button variant="quiet" onClick={onClose}>
              Cancel
            </Button>
          )}
        </div>
      </form>
      {dialog}
    </>
  );
}

/** A role ends at midnight, so the last day is the one before. */
const lastDayOf = (endsAt: string) => new Date(Date.parse(endsAt) - 1).toISOString();
