import { Form, Link } from 'react-router';
import { fieldLengths } from '#contract/field-lengths.ts';
import type { ItemState } from '#contract/staff/values.ts';
import { Button } from '#web/ui/button.tsx';
import { SelectField, TextField } from '#web/ui/field.tsx';
import { staffPath } from '../staff-paths.ts';
import type { QueueFilter } from './review-items.ts';

export function pathOf({ name, department }: Omit<QueueFilter, 'kind'>): string {
  const chosen = Object.entries({ name, department }).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return [staffPath('review'), new URLSearchParams(chosen).toString()].filter(Boolean).join('?');
}

interface Props {
  filter: QueueFilter;
  state: ItemState;
  departments: readonly string[];
}

export function QueueFilterForm({ filter: { kind, name, department }, state, departments }: Props) {
  const chosen = [name, department].filter((value) => value !== undefined).join(' · ');
  return (
    <details>
      <summary className="flex min-h-11 cursor-pointer items-center gap-3 text-sm lg:min-h-8">
        <span className="link">Filter</span>
        <span className="min-w-0 truncate font-medium">{chosen}</span>
      </summary>
      <Form className="grid gap-3 pb-2" action={staffPath('review')}>
        {state === 'decided' && <input type="hidden" name="state" value={state} />}
        {kind && <input type="hidden" name="kind" value={kind} />}
        <TextField
          label="Name"
          name="name"
          type="search"
          autoComplete="off"
          defaultValue={name}
          maxLength={fieldLengths.lineMax}
        />
        <SelectField label="Department" name="department" defaultValue={department ?? ''}>
          <option value="">All</option>
          {departments.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </SelectField>
        <div className="flex items-center gap-4">
          <Button type="submit" variant="quiet">
            Show
          </Button>
          {chosen !== '' && (
            <Link to={staffPath('review')} className="link inline-flex min-h-11 items-center text-sm lg:min-h-8">
              Remove the filter
            </Link>
          )}
        </div>
      </Form>
    </details>
  );
}
