import { useLoaderData } from 'react-router';
import type { InstitutionFacts } from '#contract/institution.ts';
import type { AnnouncementScope } from '#contract/staff/announcements.ts';
import type { OwnStaff } from '#contract/staff/scope.ts';
import { type StaffRole, staffRights } from '#contract/staff/values.ts';
import { SelectField, TextField } from '#web/ui/field.tsx';

interface Props {
  scope: AnnouncementScope;
  colleges: InstitutionFacts['colleges'];
  onChange: (scope: AnnouncementScope) => void;
}

function useOwnColleges(): readonly string[] | null {
  const { roles } = useLoaderData<{ staff: OwnStaff }>().staff;
  const writers = roles.filter(({ role }) => (staffRights.announcements as readonly StaffRole[]).includes(role));
  const own = writers.map(({ college }) => college).filter((college) => college !== null);
  return own.length < writers.length ? null : own;
}

const toYear = (typed: string): number | null => (/^\d{4}$/u.test(typed) ? Number(typed) : null);

export function ScopeFields({ scope, colleges, onChange }: Props) {
  const own = useOwnColleges();
  const { college, department, yearFrom, yearTo } = scope;
  const departments = colleges
    .filter(({ code }) => (college === null ? true : code === college))
    .flatMap((one) => one.departments);
  // A department that members typed themselves is not listed.
  if (department !== null && !departments.includes(department)) departments.unshift(department);
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-2 text-lg font-bold">Recipients</legend>
      <div className="grid gap-3 sm:grid-cols-2">
        <SelectField
          label="College"
          value={college ?? ''}
          onChange={({ target: { value } }) => onChange({ ...scope, college: value || null, department: null })}
        >
          {own === null && <option value="">All colleges</option>}
          {colleges
            .filter(({ code }) => own === null || own.includes(code))
            .map(({ code }) => (
              <option key={code} value={code}>
                {code}
              </option>
            ))}
        </SelectField>
        <SelectField
          label="Department"
          value={department ?? ''}
          onChange={({ target: { value } }) => onChange({ ...scope, department: value || null })}
        >
          <option value="">All departments</option>
          {departments.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
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
