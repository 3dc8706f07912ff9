import type { LoaderFunctionArgs } from 'react-router';
import { loaderServices } from '#web/platform/loader-services.ts';
import type { StaffPageProps } from '../define-page.ts';
import { type EntryData, Entry } from './entry.tsx';
import { type ExportsData, Exports } from './exports.tsx';
import { type SearchData, PeopleSearch, loadSearch } from './people-search.tsx';
import { type PersonData, Person } from './person.tsx';

export const exportsId = 'exports';

export type PeopleData = SearchData | PersonData | EntryData | ExportsData;

export async function loadPeople(args: LoaderFunctionArgs, id: string | null): Promise<PeopleData> {
  const { call } = args.context.get(loaderServices);
  if (id === null) return loadSearch(args);
  if (id === exportsId) return { kind: 'exports', ...(await call('GET /api/staff/exports')) };
  const entry = /^entry-(\d+)$/u.exec(id);
  if (entry)
    return {
      kind: 'entry',
      entry: await call('GET /api/staff/roster/entries/{id}', { params: { id: Number(entry[1]) } }),
    };
  return { kind: 'person', person: await call('GET /api/staff/people/{id}', { params: { id } }) };
}

export function PeoplePage({ data }: StaffPageProps<PeopleData>) {
  if (data.kind === 'search') return <PeopleSearch data={data} />;
  if (data.kind === 'entry') return <Entry key={data.entry.id} entry={data.entry} />;
  return data.kind === 'exports' ? (
    <Exports exports={data.exports} />
  ) : (
    <Person key={data.person.id} person={data.person} />
  );
}
