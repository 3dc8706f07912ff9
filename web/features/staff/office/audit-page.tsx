import { type SubmitEvent, useState } from 'react';
import { Link, type LoaderFunctionArgs, useNavigate, useSearchParams } from 'react-router';
import type { AuditRecord } from '#contract/staff/audit.ts';
import { calendarDay } from '#contract/fields.ts';
import { auditActions } from '#contract/staff/values.ts';
import { joinDates } from '#web/platform/date-parts.ts';
import { readFields } from '#web/platform/form.ts';
import { loaderServices } from '#web/platform/loader-services.ts';
import { useHydrated } from '#web/platform/use-hydrated.ts';
import { DateField } from '#web/ui/date-field.tsx';
import { SelectField, TextField } from '#web/ui/field.tsx';
import { Options } from '#web/ui/options.tsx';
import type { StaffPageProps } from '../define-page.ts';
import { staffPath } from '../staff-paths.ts';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { FilterSummary } from '../ui/filter-summary.tsx';
import { FilterBar } from '../ui/filter-bar.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Row, Rows } from '../ui/rows.tsx';
import { Time } from '../ui/time.tsx';
import { formatDetail, labelOfCode } from './audit-labels.ts';

const Day = calendarDay('Enter a date that exists');

const filters = ['action', 'actor', 'subject', 'from', 'to', 'before'] as const;
const isDay = (name: string): name is 'from' | 'to' => name === 'from' || name === 'to';

/**
 * Returns the first or last moment of a day. The form without JavaScript sends days, which are in UTC.
 * @param zone UTC, or empty for the zone of the browser
 */
const toMoment = (name: 'from' | 'to', day: string, zone: 'Z' | ''): string =>
  `${day}T${name === 'from' ? '00:00:00' : '23:59:59.999'}${zone}`;

const readMoment = (name: string, value: string | undefined): string | undefined =>
  isDay(name) && value && !value.includes('T') ? toMoment(name, value, 'Z') : value;

/** Returns the day of a moment in the zone of the browser, as YYYY-MM-DD. */
const toLocalDay = (moment: string): string => new Date(moment).toLocaleDateString('sv');

export async function loadAuditLog({ context, request }: LoaderFunctionArgs) {
  // Without JavaScript, the form sends a date in its three parts.
  const params = joinDates(Object.fromEntries(new URL(request.url).searchParams));
  const query = Object.fromEntries(
    filters.map((name) => [name, readMoment(name, params[name]?.trim())]).filter(([, value]) => value),
  ) as object;
  return context.get(loaderServices).call('GET /api/staff/audit-log', { query });
}

export function AuditPage({ data: { records, hasMore } }: StaffPageProps<Awaited<ReturnType<typeof loadAuditLog>>>) {
  const navigate = useNavigate();
  const [params] = useSearchParams();
  const isHydrated = useHydrated();
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});

  function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const chosen = Object.entries(readFields(new FormData(event.currentTarget))).filter(([, value]) => value !== '');
    const invalid = chosen.flatMap(([name, value]) => {
      const parsed = isDay(name) ? Day.safeParse(value) : null;
      return parsed?.error ? [[name, parsed.error.issues[0]?.message ?? ''] as const] : [];
    });
    setErrors(Object.fromEntries(invalid));
    if (invalid.length > 0) return;
    const query = chosen.map(([name, value]) =>
      isDay(name) ? [name, new Date(toMoment(name, value, '')).toISOString()] : [name, value],
    );
    void navigate({ search: new URLSearchParams(query).toString() });
  }

  const isFiltered = String(params) !== '';
  const older = new URLSearchParams(params);
  older.set('before', String(records.at(-1)?.id ?? 0));
  return (
    <>
      <div className="relative grid gap-6">
        <PageHeader
          title="Audit log"
          lead="Every action of staff. The stored records contain no names: this page looks up the email addresses. Records cannot be changed or deleted."
        />
        <details className="lg:not-open:-mt-6" open={isFiltered || undefined}>
          <FilterSummary />
          <div className="pt-4">
            <FilterBar key={params.toString()} onSubmit={submit}>
              <SelectField label="Action" name="action" defaultValue={params.get('action') ?? ''}>
                <Options none="All" options={auditActions.map((action) => [action, labelOfCode(action)])} />
              </SelectField>
              <TextField
                label="Staff"
                name="actor"
                type="email"
                placeholder="Email address"
                defaultValue={params.get('actor') ?? ''}
              />
              <TextField label="About" name="subject" placeholder="ID" defaultValue={params.get('subject') ?? ''} />
              {(['from', 'to'] as const).map((name) => {
                const moment = readMoment(name, params.get(name) ?? undefined) ?? '';
                const day = isHydrated && moment ? toLocalDay(moment) : moment.slice(0, 10);
                return (
                  <DateField
                    key={name + day}
                    label={`${name === 'from' ? 'From' : 'To'}${isHydrated ? '' : ' (UTC)'}`}
                    name={name}
                    hint={null}
                    defaultValue={day}
                    error={errors[name]}
                  />
                );
              })}
            </FilterBar>
          </div>
        </details>
      </div>
      {records.length === 0 ? (
        <EmptyState drawing="hall" title="No records">
          {!isFiltered ? (
            'Each action of staff appears here.'
          ) : (
            <Link to={staffPath('audit-log')} className="link">
              Show all records
            </Link>
          )}
        </EmptyState>
      ) : (
        <Rows label="Records">
          {records.map((record) => (
            <Row
              key={record.id}
              title={labelOfCode(record.action)}
              detail={
                <>
                  {record.actor ?? (record.actorId === null ? 'On the server' : 'By a deleted account')}
                  <Subject record={record} />
                  {record.details
                    .map((detail) => formatDetail(detail))
                    .filter((text) => text !== null)
                    .map((text) => ` · ${text}`)}
                </>
              }
              aside={<Time of={record.at} />}
            />
          ))}
        </Rows>
      )}
      {hasMore && (
        <p>
          <Link to={`${staffPath('audit-log')}?${older}`} className="link">
            Older records
          </Link>
        </p>
      )}
    </>
  );
}

function Subject({ record: { subject, subjectKind, subjectLabel } }: { record: AuditRecord }) {
  if (subject === null) return null;
  return (
    <>
      {' · '}
      <Link to={`${staffPath('audit-log')}?subject=${encodeURIComponent(subject)}`} className="link">
        {subjectLabel ?? `${labelOfCode(subjectKind ?? '').toLowerCase()} ${subject.slice(0, 8)}`}
      </Link>
    </>
  );
}
