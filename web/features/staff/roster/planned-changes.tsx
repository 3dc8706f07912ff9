import { type SubmitEvent, useEffect, useState } from 'react';
import { useSearchParams } from 'react-router';
import { toWireRequest } from '#contract/call.ts';
import { formatCount } from '#contract/counts.ts';
import type { CallResult } from '#contract/endpoint.ts';
import type { Endpoints } from '#contract/endpoints.ts';
import type { ImportCounts, PlannedChange } from '#contract/roster.ts';
import { changeKindNames, changeKinds, fieldNames, importFields } from '#contract/roster-values.ts';
import { messageOf } from '#web/domain/messages.ts';
import { withParam } from '#web/domain/paths.ts';
import { callApi, problemOf } from '#web/platform/api.ts';
import { readFields } from '#web/platform/form.ts';
import { reword } from '#web/platform/words.ts';
import { FetchFailure } from '#web/ui/fetch-failure.tsx';
import { TextField } from '#web/ui/field.tsx';
import { MoreButton } from '#web/ui/more-button.tsx';
import { staffPath } from '../staff-paths.ts';
import { FilterBar } from '../ui/filter-bar.tsx';
import { FilterLinks } from '../ui/filter-links.tsx';
import { Row, Rows } from '../ui/rows.tsx';
import { Section } from '../ui/section.tsx';

type Page = CallResult<Endpoints['GET /api/staff/roster/imports/{id}/changes']>;

/** The filter is in the URL: staff can send it to who approves. */
export function PlannedChanges({ id, counts }: { id: string; counts: ImportCounts }) {
  const [params, setParams] = useSearchParams();
  const [pages, setPages] = useState<{ readonly of: string; readonly all: readonly Page[] }>({ of: '', all: [] });
  const [failure, setFailure] = useState('');
  const [isLoading, setIsLoading] = useState(false);
  const kinds = changeKinds.filter((one) => counts[one] > 0);
  const kind = kinds.find((one) => one === params.get('kind')) ?? kinds[0];
  const field = kind === 'changed' ? importFields.find((one) => one === params.get('field')) : undefined;
  const q = params.get('q') ?? '';
  const filter = JSON.stringify([kind, field, q]);

  async function load(shown: readonly Page[], isCurrent = () => true) {
    if (!kind) return;
    setIsLoading(true);
    setFailure('');
    try {
      const query = { kind, field, q: q || undefined, after: shown.at(-1)?.next ?? undefined };
      const page = await callApi('GET /api/staff/roster/imports/{id}/changes', { params: { id }, query });
      if (isCurrent()) setPages({ of: filter, all: [...shown, page] });
    } catch (error) {
      const { detail, ...rest } = problemOf(error);
      if (isCurrent()) setFailure(detail ?? messageOf(rest));
    }
    if (isCurrent()) setIsLoading(false);
  }
  useEffect(() => {
    let isEnded = false;
    void load([], () => !isEnded);
    return () => {
      isEnded = true;
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [filter, id]);

  if (!kind) return null;
  const path = staffPath('roster', id);
  const shown = pages.of === filter ? pages.all : [];
  const changes = shown.flatMap((page) => page.changes);
  const hasMore = typeof shown.at(-1)?.next === 'string';

  function search(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const { q: text = '' } = readFields(new FormData(event.currentTarget));
    setParams({ kind: kind ?? '', ...(field && { field }), ...(text && { q: text }) }, { preventScrollReset: true });
  }

  return (
    <Section
      heading="Every change"
      hint="Differences of case and spaces, and in how a phone number is written, are no changes."
      aside={
        <a
          className="link inline-flex min-h-11 items-center text-sm"
          href={
            toWireRequest('GET /api/staff/roster/imports/{id}/changes/file', {
              params: { id },
              query: { kind, field, q },
            }).url
          }
          download
        >
          Download these as CSV
        </a>
      }
    >
      <FilterLinks
        label="Kind of change"
        links={kinds.map((one) => ({
          to: withParam(path, 'kind', one),
          label: changeKindNames[one],
          count: formatCount(counts[one]),
          isCurrent: one === kind,
        }))}
      />
      {kind === 'changed' && (counts.fields?.length ?? 0) > 0 && (
        <FilterLinks
          label="Changed column"
          links={[
            { to: withParam(path, 'kind', kind), label: 'All columns', isCurrent: !field },
            ...(counts.fields ?? []).map((one) => ({
              to: withParam(withParam(path, 'kind', kind), 'field', one.field),
              label: reword(fieldNames[one.field]),
              count: formatCount(one.count),
              isCurrent: one.field === field,
            })),
          ]}
        />
      )}
      <FilterBar onSubmit={search} action="Search" busy={isLoading && shown.length === 0}>
        <TextField key={q} label="Name or matric number" name="q" type="search" defaultValue={q} maxLength={200} />
      </FilterBar>
      {failure && <FetchFailure reason={failure} busy={isLoading} onRetry={() => void load(shown)} />}
      {changes.length > 0 && (
        <Rows label="People">
          {changes.map((change) => (
            <ChangeRow key={change.matricNumber} change={change} />
          ))}
        </Rows>
      )}
      {!isLoading && !failure && changes.length === 0 && <p className="text-sm text-ink-soft">No one matches.</p>}
      {hasMore && !failure && (
        <div>
          <MoreButton busy={isLoading} onMore={() => void load(shown)}>
            Show more people
          </MoreButton>
        </div>
      )}
    </Section>
  );
}

function ChangeRow({ change }: { change: PlannedChange }) {
  const { row, matricNumber, name, department, yearGraduated, isBack, values } = change;
  const facts = [row !== null && `Row ${row}`, matricNumber, department, yearGraduated, isBack && 'was missing'];
  return (
    <Row
      title={name}
      detail={
        <>
          {facts.filter(Boolean).join(' · ')}
          {values.map(({ field, before, after }) => (
            <span key={field} className="block">
              {reword(fieldNames[field])}: <del>{before ?? 'blank'}</del> →{' '}
              <ins className="font-semibold text-ink no-underline">{after ?? 'blank'}</ins>
            </span>
          ))}
        </>
      }
    />
  );
}
