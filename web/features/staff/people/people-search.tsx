import { Fragment, useState } from 'react';
import { Form, Link, type LoaderFunctionArgs, useSearchParams } from 'react-router';
import { formatPeople } from '#contract/counts.ts';
import type { CallResult } from '#contract/endpoint.ts';
import type { Endpoints } from '#contract/endpoints.ts';
import type { InstitutionFacts } from '#contract/institution.ts';
import { type FoundEntry, maxFoundEntries } from '#contract/staff/entries.ts';
import type { FoundPerson, PeopleFilter, PersonState } from '#contract/staff/people.ts';
import { personStates } from '#contract/staff/people-values.ts';
import { loaderServices } from '#web/platform/loader-services.ts';
import { reword } from '#web/platform/words.ts';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { formatDate } from '#web/ui/day.tsx';
import { SelectField, TextField } from '#web/ui/field.tsx';
import { Options } from '#web/ui/options.tsx';
import { staffPath } from '../staff-paths.ts';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Row, Rows } from '../ui/rows.tsx';
import { Section } from '../ui/section.tsx';
import { StatusPill } from '../ui/status-pill.tsx';
import { countOf } from '../roster/import-labels.ts';
import { ExportDialog } from './export-dialog.tsx';
import { entryClassOf, entryNameOf, entryPath, identityOf, nameOf, stateLabels } from './people-labels.ts';
import { StatePills } from './state-pills.tsx';
import { useRights } from '../use-rights.ts';

export interface SearchData extends CallResult<Endpoints['GET /api/staff/people']> {
  readonly kind: 'search';
  readonly filter: PeopleFilter;
  readonly facts: InstitutionFacts;
}

export async function loadSearch({ context, request }: LoaderFunctionArgs): Promise<SearchData> {
  const { call } = context.get(loaderServices);
  const params = new URL(request.url).searchParams;
  const text = (name: string) => params.get(name)?.trim() || undefined;
  const year = Number(text('year'));
  const filter: PeopleFilter = {
    q: text('q'),
    state: personStates.find((state) => state === text('state')),
    college: text('college'),
    department: text('department'),
    year: Number.isInteger(year) && year >= 1900 && year <= 9999 ? year : undefined,
  };
  const [found, facts] = await Promise.all([
    call('GET /api/staff/people', { query: { ...filter, after: text('after') } }),
    call('GET /api/institution'),
  ]);
  return { kind: 'search', filter, facts, ...found };
}

export function PeopleSearch({ data: { people, next, entries, filter, facts } }: { data: SearchData }) {
  const rights = useRights();
  const [params] = useSearchParams();
  const [isExporting, setIsExporting] = useState(false);
  const onward = new URLSearchParams(params);
  onward.set('after', next ?? '');
  return (
    <>
      <PageHeader
        title="People"
        lead="Everyone with an account. A name or matric number also searches the roster. Only the complete email address or number finds hidden details."
        actions={
          rights.includes('export-people') && (
            <>
              <Button variant="quiet" onClick={() => setIsExporting(true)}>
                Export as CSV
              </Button>
              <ButtonLink variant="bare" className="lg:-mr-4" to={staffPath('people', 'exports')}>
                Your exports
              </ButtonLink>
            </>
          )
        }
      />
      <Filter key={params.toString()} filter={filter} facts={facts} />
      <section aria-label="People found" className="grid gap-4">
        <p className="text-sm text-ink-soft" role="status">
          {people.length === 0
            ? entries.length > 0 && 'No account matches.'
            : `${params.has('after') ? 'The next ' : next === null ? '' : 'More than '}${formatPeople(people.length)}, newest account first`}
        </p>
        {people.length > 0 ? (
          <div className="@container">
            <ColumnHeadings />
            <Rows label="People">
              {people.map((person) => (
                <PersonRow key={person.id} person={person} chosenState={filter.state} />
              ))}
            </Rows>
          </div>
        ) : entries.length > 0 ? null : (
          <EmptyState drawing="gown" title="No one matches">
            Try fewer words, or the complete email address. The search finds only people in your part of the
            institution.
          </EmptyState>
        )}
        {next !== null && (
          <ButtonLink variant="quiet" className="justify-self-start" to={`${staffPath('people')}?${onward}`}>
            Next page
          </ButtonLink>
        )}
        {people.length > 0 && next === null && <p className="text-sm text-ink-soft">No more people match.</p>}
      </section>
      {entries.length > 0 && (
        <Section
          heading="On the roster"
          hint={entries.length === maxFoundEntries && `The first ${maxFoundEntries}. Type more of the name for others.`}
        >
          <Rows label="On the roster">
            {entries.map((entry) => (
              <EntryRow key={entry.id} entry={entry} />
            ))}
          </Rows>
        </Section>
      )}
      {isExporting && <ExportDialog filter={filter} onClose={() => setIsExporting(false)} />}
    </>
  );
}

function Filter({ filter, facts }: Pick<SearchData, 'filter' | 'facts'>) {
  return (
    <Form className="grid gap-3 2xl:grid-cols-2" preventScrollReset>
      <div className="grid max-w-3xl grid-cols-[minmax(0,1fr)_auto] items-end gap-3">
        <TextField
          label="Name, email or matric number"
          name="q"
          type="search"
          autoComplete="off"
          defaultValue={filter.q}
          maxLength={254}
        />
        <Button type="submit">Search</Button>
      </div>
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-[1fr_1.5fr_1fr_7rem]">
        <SelectField label="State" name="state" defaultValue={filter.state ?? ''}>
          <Options none="All" options={personStates.map((state) => [state, stateLabels[state].label])} />
        </SelectField>
        <SelectField label={reword('Department')} name="department" defaultValue={filter.department ?? ''}>
          <option value="">All</option>
          {facts.colleges.map(({ code, departments }) => (
            <optgroup key={code} label={code}>
              <Options none={null} options={departments} />
            </optgroup>
          ))}
        </SelectField>
        <SelectField label={reword('College')} name="college" defaultValue={filter.college ?? ''}>
          <Options none="All" options={facts.colleges.map(({ code }) => code)} />
        </SelectField>
        <TextField
          label="Year"
          name="year"
          inputMode="numeric"
          autoComplete="off"
          className="nums"
          defaultValue={filter.year}
          maxLength={4}
        />
      </div>
    </Form>
  );
}

const EntryRow = ({ entry }: { entry: FoundEntry }) => (
  <Row
    to={entryPath(entry.id)}
    title={entryNameOf(entry)}
    detail={<span className="nums">{entryClassOf(entry)}</span>}
    aside={
      <>
        {entry.openClaims > 0 && <StatusPill>{countOf(entry.openClaims, 'pending claim')}</StatusPill>}
        {entry.codeCreatedAt !== null && `Code of ${formatDate(entry.codeCreatedAt)} · `}
        {entry.hasAccount ? 'Has an account' : 'No account'}
      </>
    }
  />
);

interface PersonRowProps {
  person: FoundPerson;
  chosenState: PersonState | undefined;
}

/** Where they do not fit, the facts are below each other. */
const columnsClass =
  '@4xl:grid @4xl:grid-cols-[minmax(0,5fr)_minmax(0,7fr)_minmax(0,5fr)_3rem_minmax(9rem,3fr)] @4xl:items-center @4xl:gap-x-4';

/** Screen readers do not need the headings: the facts are clear without them. */
const ColumnHeadings = () => (
  <div
    aria-hidden="true"
    className={`hidden border-t border-line pt-3 pb-2 text-sm font-semibold text-ink-soft ${columnsClass}`}
  >
    {['Name', 'Email', reword('Department'), 'Class', 'State'].map((heading) => (
      <span key={heading}>{heading}</span>
    ))}
  </div>
);

function PersonRow({ person, chosenState }: PersonRowProps) {
  const { id, states, email, department, yearGraduated } = person;
  const name = nameOf(person);
  const exceptions = states.filter((state) => state !== 'confirmed' && state !== chosenState);
  return (
    <li>
      <Link
        to={staffPath('people', id)}
        className="-mx-2 flex min-h-11 items-center rounded-control px-2 py-2 hover:bg-wash @4xl:py-1.5"
      >
        <span className={`min-w-0 grow text-sm text-ink-soft ${columnsClass}`}>
          <span className="block text-base font-semibold wrap-break-word text-ink">{name}</span>{' '}
          <span className="wrap-anywhere @max-4xl:block">
            {email === null
              ? department === null && yearGraduated === null && identityOf(person)
              : email.split(/(?=@)/u).map((part) => (
                  <Fragment key={part}>
                    <wbr />
                    {part}
                  </Fragment>
                ))}
          </span>{' '}
          <span>{department}</span>{' '}
          <span className="nums">
            {department !== null && yearGraduated !== null && <span className="@4xl:hidden">· </span>}
            {yearGraduated}
          </span>{' '}
          <span className="flex flex-wrap gap-1 @max-4xl:mt-1 @max-4xl:empty:hidden">
            <StatePills states={exceptions} />
            {exceptions.length === 0 && states.includes('confirmed') && (
              <span className="@max-4xl:hidden">{stateLabels.confirmed.label}</span>
            )}
          </span>
        </span>
      </Link>
    </li>
  );
}
