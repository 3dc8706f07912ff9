import { Link, type LoaderFunctionArgs, useSearchParams } from 'react-router';
import { formatCount } from '#contract/counts.ts';
import type { Coverage } from '#contract/staff/coverage.ts';
import { loaderServices } from '#web/platform/loader-services.ts';
import { reword } from '#web/platform/words.ts';
import { ClassPage, classPath, loadClass } from '../corrections/class-page.tsx';
import type { StaffPageProps } from '../define-page.ts';
import { useRights } from '../use-rights.ts';
import { staffPath } from '../staff-paths.ts';
import { DataTable } from '../ui/data-table.tsx';
import { ButtonAnchor } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { FilterLinks } from '../ui/filter-links.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { ChartKey, CoverageChart, type Shares } from './coverage-chart.tsx';
import { type Measure, measureNames, measuresOf, ofInvitations, percentOf, sumOf } from './coverage-labels.ts';

type Department = Coverage['departments'][number];

export async function loadCoverage({ context }: LoaderFunctionArgs, id: string | null) {
  const { call } = context.get(loaderServices);
  return id === null
    ? { coverage: await call('GET /api/staff/coverage'), of: null }
    : { coverage: null, of: await loadClass(call, id) };
}

export const CoveragePage = ({ data: { coverage, of } }: StaffPageProps<Awaited<ReturnType<typeof loadCoverage>>>) =>
  of ? <ClassPage of={of} /> : <AllCoverage coverage={coverage} />;

function AllCoverage({ coverage }: { coverage: Coverage }) {
  const canOpenClass = useRights().includes('propose-corrections');
  const [query] = useSearchParams();
  const { departments: all, hasRoster } = coverage;
  const college = query.get('college') ?? '';
  const colleges = [...new Set(all.map((one) => one.college ?? 'unknown'))];
  const shares: Shares = hasRoster ? { whole: 'onRoster', part: 'confirmed' } : { whole: 'listed', part: 'reachable' };
  const departments = all
    .filter((one) => college === '' || (one.college ?? 'unknown') === college)
    .toSorted((a, b) => shareOf(a, shares) - shareOf(b, shares));
  const measures = measuresOf(coverage);
  const total = sumOf(departments.flatMap(({ classes }) => classes));
  const known = all.flatMap(({ classes }) => classes.flatMap(({ year }) => (year === null ? [] : [year])));
  const years = [Math.min(...known), Math.max(...known)] as const;
  return (
    <>
      <PageHeader
        title="Coverage"
        lead={`How many people of each class the archive reaches, the ${reword('department')} with the lowest share first.${canOpenClass ? ' Open a table and choose a year to propose corrections.' : ''}`}
        actions={
          <ButtonAnchor href="/api/staff/coverage/file" download>
            Download as CSV
          </ButtonAnchor>
        }
      />
      {all.length === 0 ? (
        <EmptyState drawing="gown" title="No people to count yet">
          {reword(
            'Each department will appear here with a bar per year, after the first roster import or the first member.',
          )}
        </EmptyState>
      ) : (
        <>
          {colleges.length > 1 && (
            <FilterLinks
              label={reword('College')}
              links={[
                { to: staffPath('coverage'), label: 'All', isCurrent: college === '' },
                ...colleges.map((code) => ({
                  to: `${staffPath('coverage')}?college=${encodeURIComponent(code)}`,
                  label: code === 'unknown' ? 'Unknown' : code,
                  isCurrent: college === code,
                })),
              ]}
            />
          )}
          <div className="grid gap-x-16 gap-y-4 border-y border-line py-4 xl:grid-cols-[auto_minmax(0,1fr)] xl:items-center">
            <dl className="grid grid-cols-2 gap-x-10 gap-y-3 sm:flex sm:flex-wrap">
              {measures.map((measure) => (
                <div key={measure} className="flex flex-col-reverse">
                  <dt className="text-sm text-ink-soft">
                    {measureNames[measure]}
                    {hasRoster && measure !== 'onRoster' && ` · ${percentOf(total[measure], total.onRoster)}`}
                  </dt>
                  <dd className="text-2xl font-bold nums">{formatCount(total[measure])}</dd>
                </div>
              ))}
            </dl>
            <p className="max-w-[64ch] text-sm text-pretty text-ink-soft">
              “Listed” means that members find the person in the directory, “reachable” that the account is active and
              email to it arrives.
              {measures.includes('confirmed') && ` ${whyMoreAreListed(coverage)}`}
            </p>
          </div>
          {years[0] < years[1] && <ChartKey {...shares} />}
          <div
            className={
              departments.length === 1
                ? 'grid grid-cols-1'
                : 'grid grid-cols-1 gap-x-10 md:grid-cols-2 xl:grid-cols-3 2xl:grid-cols-4'
            }
          >
            {departments.map((one) => (
              <DepartmentCoverage
                key={`${one.college} ${one.department}`}
                department={one}
                {...{ measures, shares, years, canOpenClass }}
                isOpen={departments.length === 1}
              />
            ))}
          </div>
        </>
      )}
    </>
  );
}

const whyMoreAreListed = ({ confirmsMembers }: Coverage): string =>
  confirmsMembers
    ? 'More people can be listed than confirmed: accounts in their grace period are listed until it ends.'
    : 'More people can be listed than confirmed: this archive lists members without a confirmation.';

function shareOf({ classes }: Department, { whole, part }: Shares): number {
  const total = sumOf(classes);
  return total[whole] === 0 ? Infinity : total[part] / total[whole];
}

const keepTogether = (text: string): string => text.replaceAll(' ', '\u00A0');

interface DepartmentProps {
  department: Department;
  measures: readonly Measure[];
  shares: Shares;
  years: readonly [number, number];
  canOpenClass: boolean;
  isOpen: boolean;
}

function DepartmentCoverage({ department, measures, shares, years, canOpenClass, isOpen }: DepartmentProps) {
  const { classes } = department;
  const name = department.department ?? reword('Department unknown');
  const total = sumOf(classes);
  // Two tables, because one with all columns is wider than its place.
  const isOfMail = (measure: Measure) => ofInvitations.includes(measure);
  const tables = [
    ['Coverage', measures.filter((measure) => !isOfMail(measure))] as const,
    ['Invitations', measures.filter(isOfMail)] as const,
  ].filter(([, shown]) => shown.length > 0);
  const texts = measures.map((measure) => `${formatCount(total[measure])} ${measureNames[measure].toLowerCase()}`);
  return (
    // The rows of departments beside each other are aligned, however many lines their names take.
    <section className="row-span-4 mb-8 grid min-w-0 grid-cols-1 grid-rows-subgrid gap-2">
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-end gap-x-4">
        <h2 className="font-bold wrap-break-word">{name}</h2>
        <p className="text-right text-[1.5rem] leading-none font-bold nums">
          {percentOf(total[shares.part], total[shares.whole]) || '–'}
          <span className="sr-only">, {measureNames[shares.part].toLowerCase()}</span>
        </p>
      </div>
      <p className="text-sm nums text-ink-soft">{texts.map(keepTogether).join(', ')}</p>
      {years[0] < years[1] ? (
        <CoverageChart label={`${name}: ${texts.join(', ')}`} classes={classes} years={years} {...shares} />
      ) : (
        <div />
      )}
      <details open={isOpen}>
        <summary className="flex min-h-11 items-center text-sm font-semibold text-brand lg:min-h-8">
          Years as a table<span className="sr-only">, {name}</span>
        </summary>
        {tables.map(([of, shown]) => (
          <DataTable
            key={of}
            label={`${of} of ${name} by year`}
            columns={['Year', ...shown.map((measure) => ({ heading: measureNames[measure], isNumber: true as const }))]}
          >
            {classes.toReversed().map((one) => (
              <tr key={one.year ?? 'unknown'}>
                <th scope="row" className="font-semibold nums">
                  {canOpenClass && one.year !== null && department.department !== null && one.onRoster > 0 ? (
                    <Link className="link" to={classPath(department.department, one.year)}>
                      {one.year}
                    </Link>
                  ) : (
                    (one.year ?? 'Unknown')
                  )}
                </th>
                {shown.map((measure) => (
                  <td key={measure} className="text-right nums">
                    {formatCount(one[measure])}
                  </td>
                ))}
              </tr>
            ))}
            <tr className="font-semibold">
              <th scope="row">All years</th>
              {shown.map((measure) => (
                <td key={measure} className="text-right nums">
                  {formatCount(total[measure])}
                </td>
              ))}
            </tr>
          </DataTable>
        ))}
      </details>
    </section>
  );
}
