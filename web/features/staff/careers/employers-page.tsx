import { useState } from 'react';
import { Form, type LoaderFunctionArgs } from 'react-router';
import type { Employer } from '#contract/careers.ts';
import { maxLineLength } from '#contract/filter-limits.ts';
import { callApi } from '#web/platform/api.ts';
import { loaderServices } from '#web/platform/loader-services.ts';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { TextField } from '#web/ui/field.tsx';
import type { StaffPageProps } from '../define-page.ts';
import { countOf } from '../roster/import-labels.ts';
import { staffPath } from '../staff-paths.ts';
import { PageHeader } from '../ui/page-header.tsx';
import { Row, Rows } from '../ui/rows.tsx';
import { Section } from '../ui/section.tsx';
import { useActions } from '../use-actions.tsx';

export async function loadEmployers({ context, request }: LoaderFunctionArgs) {
  const q = new URL(request.url).searchParams.get('q')?.trim().slice(0, maxLineLength) || undefined;
  return { q, ...(await context.get(loaderServices).call('GET /api/staff/employers', { query: { q } })) };
}

const peopleOf = ({ people }: Employer): string => countOf(people, 'person', 'people');

export function EmployersPage({
  data: { q, found, proposals, merged },
}: StaffPageProps<Awaited<ReturnType<typeof loadEmployers>>>) {
  const { run, dialog } = useActions();
  const [chosen, setChosen] = useState<Employer | null>(null);

  const save = (key: string, into: string | null) =>
    run(
      async () => {
        await callApi('POST /api/staff/employers', { body: { key, into } });
        return `${into === null ? 'Separated' : 'Merged'}. Lists and counts change within a minute`;
      },
      () => setChosen(null),
    );

  return (
    <>
      <PageHeader
        title="Employers"
        lead="Merge the spellings of one employer, so that lists and search show its people together. Profiles keep the spelling that each person typed."
      />
      <Form className="grid max-w-3xl grid-cols-[minmax(0,1fr)_auto] items-end gap-3" preventScrollReset>
        <TextField
          key={q}
          label="Name of an employer"
          name="q"
          type="search"
          autoComplete="off"
          defaultValue={q}
          maxLength={maxLineLength}
        />
        <Button type="submit">Search</Button>
      </Form>
      <div role="status" className="empty:hidden">
        {chosen && (
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-card bg-wash px-4 py-2">
            <p className="min-w-0 grow basis-60 wrap-anywhere">
              Search for the employer that <strong>{chosen.name}</strong> is part of.
            </p>
            <Button variant="bare" onClick={() => setChosen(null)}>
              Cancel
            </Button>
          </div>
        )}
      </div>
      {q === undefined ? (
        <Section heading="Probably the same">
          {proposals.length === 0 ? (
            <EmptyState drawing="hall" title="No employers look the same">
              Pairs whose names differ by one letter, or of which one is the initials of the other, will appear here. To
              merge others, search for one of them.
            </EmptyState>
          ) : (
            <Rows label="Probably the same" hasButtons>
              {proposals.map(({ one, other }) => (
                <Row
                  key={`${one.key} ${other.key}`}
                  title={`${one.name} and ${other.name}`}
                  detail={`${peopleOf(one)} and ${peopleOf(other)}`}
                  aside={
                    <Button variant="quiet" onClick={() => save(one.key, other.key)}>
                      Merge
                      <span className="sr-only">
                        {one.name} into {other.name}
                      </span>
                    </Button>
                  }
                />
              ))}
            </Rows>
          )}
        </Section>
      ) : (
        <Section
          heading="Found"
          aside={
            <ButtonLink variant="bare" to={staffPath('employers')}>
              Clear search
            </ButtonLink>
          }
        >
          {found.length === 0 ? (
            <EmptyState drawing="hall" title="No employer matches">
              Type fewer words or letters, or another spelling.
            </EmptyState>
          ) : (
            <Rows label="Found" hasButtons>
              {found.map((employer) => (
                <Row
                  key={employer.key}
                  title={employer.name}
                  detail={peopleOf(employer)}
                  aside={
                    chosen?.key !== employer.key && (
                      <Button
                        variant="quiet"
                        onClick={() => (chosen ? save(chosen.key, employer.key) : setChosen(employer))}
                      >
                        {chosen ? 'Merge into this' : 'Merge'}
                        <span className="sr-only">: {employer.name}</span>
                      </Button>
                    )
                  }
                />
              ))}
            </Rows>
          )}
        </Section>
      )}
      {merged.length > 0 && (
        <Section heading="Merged" hint="The names are shown as they are compared: without spaces and legal forms.">
          <Rows label="Merged" hasButtons>
            {merged.map(({ key, into }) => (
              <Row
                key={key}
                title={<span className="wrap-anywhere">{key}</span>}
                detail={`Part of ${into.name} · ${peopleOf(into)}`}
                aside={
                  <Button variant="quiet" onClick={() => save(key, null)}>
                    Separate<span className="sr-only">: {key}</span>
                  </Button>
                }
              />
            ))}
          </Rows>
        </Section>
      )}
      {dialog}
    </>
  );
}
