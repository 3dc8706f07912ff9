import { Fragment, type ReactNode } from 'react';
import { Link, type LoaderFunctionArgs, redirect } from 'react-router';
import { formatCount } from '#contract/counts.ts';
import type { TracerRow } from '#contract/staff/careers.ts';
import { allYears, tracerCountHeading, tracerCountNames } from '#contract/staff/tracer-counts.ts';
import { useRootData } from '#web/domain/root-data.ts';
import { loaderServices } from '#web/platform/loader-services.ts';
import { reword } from '#web/platform/words.ts';
import { Button, ButtonAnchor } from '#web/ui/button.tsx';
import { formatDate } from '#web/ui/day.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { percentOf } from '../coverage/coverage-labels.ts';
import type { StaffPageProps } from '../define-page.ts';
import { staffPath } from '../staff-paths.ts';
import { DataTable } from '../ui/data-table.tsx';
import { PageHeader } from '../ui/page-header.tsx';

export async function loadTracer({ context, request }: LoaderFunctionArgs) {
  const query = Object.fromEntries(
    [...new URL(request.url).searchParams].filter(([name]) => name === 'college' || name === 'department'),
  );
  const report = await context.get(loaderServices).call('GET /api/staff/tracer', { query });
  // The report of a department that is not in it would be empty.
  if (query.department !== undefined && report.asOf !== null && report.rows.length === 0)
    throw redirect(staffPath('tracer'));
  return { ...report, chosen: query.department === undefined ? null : query };
}

const nameOf = (department: string | null | undefined): string => department || reword('Department unknown');

export function TracerPage({
  data: { asOf, countsRoster, rows, total, chosen },
}: StaffPageProps<Awaited<ReturnType<typeof loadTracer>>>) {
  const { institution } = useRootData();
  if (asOf === null || rows.length === 0)
    return (
      <>
        <PageHeader title="Tracer report" />
        <EmptyState drawing="gown" title={asOf === null ? 'The first report is being made' : 'No one to count yet'}>
          {asOf === null
            ? 'This takes less than a minute. Then reload this page. Later reports are made on the first day of each month.'
            : 'Next month’s report will count the people who have joined by then.'}
        </EmptyState>
      </>
    );
  const label = chosen ? nameOf(chosen.department) : reword('Departments');
  return (
    <>
      <p className="hidden font-semibold print:block">{institution.name}</p>
      <PageHeader
        title={chosen ? label : 'Tracer report'}
        lead={`${chosen ? [chosen.college, 'Tracer report as'].filter(Boolean).join(' · ') : 'What graduates do now. As'} of ${formatDate(asOf)}.`}
        {...(chosen && { back: { to: staffPath('tracer'), label: reword('All departments') } })}
        actions={
          <div className="flex flex-wrap gap-2 print:hidden">
            <ButtonAnchor href="/api/staff/tracer/file" download>
              {chosen ? reword('Download all departments as CSV') : 'Download as CSV'}
            </ButtonAnchor>
            <Button variant="quiet" onClick={() => print()}>
              Print
            </Button>
          </div>
        }
      />
      <p className="max-w-[72ch] text-sm text-pretty text-ink-soft">
        “–” replaces a number that would reveal something about fewer than 5 people. “Answered” counts answers of the
        last 24 months, “Working” includes the self-employed, and “Reached” counts people whose account is active and
        receives email.
        {chosen
          ? ` “Rate” is the share of ${countsRoster ? 'those on the roster' : 'the members'} who answered.`
          : reword(' Each department shows the sum of its rows that are not hidden.')}{' '}
        If some rows hide an outcome, “of 600” under the sum is the number of answers in the rows that show it.
      </p>
      <DataTable
        label={label}
        columns={[
          ...(chosen ? ['Program', 'Year'] : [reword('Department')]),
          ...tracerCountNames.flatMap((name) => [
            { heading: tracerCountHeading(name, countsRoster), isNumber: true as const },
            ...(chosen && name === 'answered' ? [{ heading: 'Rate', isNumber: true as const }] : []),
          ]),
        ]}
      >
        {rows.map((row) => (
          <Counts
            key={`${row.college} ${row.department} ${row.program} ${row.year}`}
            counts={row}
            rate={chosen && rateOf(row)}
          >
            {chosen ? (
              <>
                <th scope="row" className="min-w-24 font-semibold wrap-break-word">
                  {row.program ?? 'Unknown'}
                </th>
                <td className="nums">{row.year === allYears ? 'All' : (row.year ?? 'Unknown')}</td>
              </>
            ) : (
              <th scope="row" className="min-w-36 font-semibold wrap-break-word print:min-w-0">
                <Link
                  className="link"
                  to={`${staffPath('tracer')}?${new URLSearchParams({ college: row.college ?? '', department: row.department ?? '' })}`}
                >
                  {nameOf(row.department)}
                </Link>
                {row.college !== null && <span className="block text-xs font-normal text-ink-soft">{row.college}</span>}
              </th>
            )}
          </Counts>
        ))}
        <Counts counts={total} rate={chosen && ''} isSum>
          <th scope="row" colSpan={chosen ? 2 : 1}>
            Sum of the rows shown
          </th>
        </Counts>
      </DataTable>
    </>
  );
}

const rateOf = ({ answered, onRoster }: TracerRow): string =>
  answered === null || onRoster === null ? '' : percentOf(answered, onRoster);

interface CountsProps {
  counts: Omit<TracerRow, 'college' | 'department' | 'program' | 'year'>;
  /** Null without its column. Empty for a sum, because the sums add different rows. */
  rate: string | null;
  isSum?: boolean;
  children: ReactNode;
}

const Counts = ({ counts, rate, isSum = false, children }: CountsProps) => (
  <tr className={isSum ? 'border-t border-line-strong font-semibold' : ''}>
    {children}
    {tracerCountNames.map((name) => (
      <Fragment key={name}>
        <td className="text-right nums">
          {counts[name] === null ? hidden : formatCount(counts[name])}
          <Denominator count={counts.answers?.[name]} answered={counts.answered} />
        </td>
        {rate !== null && name === 'answered' && (
          <td className="text-right nums whitespace-nowrap text-ink-soft">{rate}</td>
        )}
      </Fragment>
    ))}
  </tr>
);

const Denominator = ({ count, answered }: { count: number | null | undefined; answered: number | null }) =>
  typeof count === 'number' &&
  count !== answered && (
    <span className="block text-xs font-normal whitespace-nowrap text-ink-soft"> of {formatCount(count)}</span>
  );

const hidden = (
  <>
    <span aria-hidden="true">–</span>
    <span className="sr-only">hidden</span>
  </>
);
