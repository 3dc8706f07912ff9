import { useLoaderData } from 'react-router';
import type { InstitutionFacts } from '#contract/institution.ts';
import type { AnnouncementScope } from '#contract/staff/announcements.ts';
import type { OwnStaff, StaffScope } from '#contract/staff/scope.ts';
import { type StaffRole, staffRights } from '#contract/staff/values.ts';
import { SelectField, TextField } from '#web/ui/field.tsx';
import { Options } from '#web/ui/options.tsx';
import { reword } from '#web/platform/words.ts';
import { formatScope } from './announcement-labels.ts';

interface Props {
  scope: AnnouncementScope;
  colleges: InstitutionFacts['colleges'];
  onChange: (scope: AnnouncementScope) => void;
}

function useOwnScopes() {
  const { roles } = useLoaderData<{ staff: OwnStaff }>().staff;
  const writers = roles.filter(({ role }) => (staffRights.announcements as readonly StaffRole[]).includes(role));
  const ofOffice = writers.filter(({ department }) => department === null);
  const colleges = ofOffice.map(({ college }) => college).filter((college) => college !== null);
  return { classes: ofOffice.length === 0 ? writers : null, own: colleges.length < ofOffice.length ? null : colleges };
}

/** A class representative writes to a whole class. */
function ClassField({
  scope,
  classes,
  onChange,
}: Pick<Props, 'scope' | 'onChange'> & { classes: readonly StaffScope[] }) {
  const labels = classes.map(formatScope);
  return (
    <SelectField
      label="Recipients"
      value={formatScope(scope)}
      onChange={({ target: { value } }) => {
        const { college, department, yearFrom, yearTo } = classes[labels.indexOf(value)] ?? scope;
        onChange({ college, department, yearFrom, yearTo });
      }}
    >
      <Options none={null} options={labels} />
    </SelectField>
  );
}

const toYear = (typed: string): number | null => (/^\d{4}$/u.test(typed) ? Number(typed) : null);

export function ScopeFields({ scope, colleges, onChange }: Props) {
  const { classes, own } = useOwnScopes();
  const { college, department, yearFrom, yearTo } = scope;
  const departments = colleges
    .filter(({ code }) => (college === null ? true : code === college))
    .flatMap((one) => one.departments);
  // A department that members typed themselves is not listed.
  if (department !== null && !departments.includes(department)) departments.unshift(department);
  if (classes) return <ClassField scope={scope} classes={classes} onChange={onChange} />;
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-2 text-lg font-bold">Recipients</legend>
      <div className="grid gap-3 sm:grid-cols-2">
        <SelectField
          label={reword('College')}
          value={college ?? ''}
          onChange={({ target: { value } }) => onChange({ ...scope, college: value || null, department: null })}
        >
          <Options
            none={own === null ? reword('All colleges') : null}
            options={colleges.map(({ code }) => code).filter((code) => own === null || own.includes(code))}
          />
        </SelectField>
        <SelectField
          label={reword('Department')}
          value={department ?? ''}
          onChange={({ target: { value } }) => onChange({ ...scope, department: value || null })}
        >
          <Options none={reword('All departments')} options={departments} />
        </SelectField>
        <div className="col-span-full grid grid-cols-2 gap-3">
          <TextField
            label="First year of graduation"
            type="number"
            inputMode="numeric"
            className="nums max-w-32"
            placeholder="Any year"
            defaultValue={yearFrom ?? ''}
            onChange={({ target: { value } }) => onChange({ ...scope, yearFrom: toYear(value) })}
          />
          <TextField
            label="Last year of graduation"
            type="number"
            inputMode="numeric"
            className="nums max-w-32"
            placeholder="Any year"
            defaultValue={yearTo ?? ''}
            onChange={({ target: { value } }) => onChange({ ...scope, yearTo: toYear(value) })}
          />
        </div>
      </div>
    </fieldset>
  );
}
