import { Form, Link } from 'react-router';
import { fieldLengths } from '#contract/field-lengths.ts';
import type { ItemState } from '#contract/staff/values.ts';
import { Button } from '#web/ui/button.tsx';
import { SelectField, TextField } from '#web/ui/field.tsx';
import { Options } from '#web/ui/options.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { reword } from '#web/platform/words.ts';
import { staffPath } from '../staff-paths.ts';
import type { QueueFilter } from './review-items.ts';

export function pathOf({ name, department, hideAsked }: Omit<QueueFilter, 'kind'>): string {
  const chosen = Object.entries({ name, department, hideAsked }).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  return [staffPath('review'), new URLSearchParams(chosen).toString()].filter(Boolean).join('?');
}

interface Props {
  filter: QueueFilter;
  state: ItemState;
  departments: readonly string[];
}

export function QueueFilterForm({ filter: { kind, name, department, hideAsked }, state, departments }: Props) {
  const chosen = [name, department, hideAsked && 'without open questions'].filter(Boolean).join(' · ');
  return (
    <>
      <details>
        <summary
          aria-label="Filter"
          className={`absolute top-2 right-2.5 grid size-11 place-items-center rounded-control hover:bg-wash lg:top-5 lg:size-9 ${chosen ? 'text-brand' : 'text-ink-soft'}`}
        >
          <Icon name="sliders-horizontal" />
        </summary>
        <Form className="grid gap-3 pt-3 pb-2" action={staffPath('review')}>
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
          <SelectField label={reword('Department')} name="department" defaultValue={department ?? ''}>
            <Options none="All" options={departments} />
          </SelectField>
          {state === 'open' && (
            <label className="flex min-h-11 items-center gap-2 lg:min-h-8">
              <input
                type="checkbox"
                name="hideAsked"
                value="yes"
                defaultChecked={Boolean(hideAsked)}
                className="size-5"
              />
              Hide claims that wait for the claimant’s answer
            </label>
          )}
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
      {chosen !== '' && <p className="truncate text-sm font-medium">{chosen}</p>}
    </>
  );
}
