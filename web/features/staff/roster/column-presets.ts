import type { ImportField } from '#contract/roster-values.ts';
import type { ImportFile, Mapping } from './import-file.ts';

/** Headings of common student systems, in lower case. */
const presets: Readonly<Record<string, Readonly<Record<string, ImportField>>>> = {
  Banner: {
    spriden_id: 'matricNumber',
    spriden_last_name: 'lastName',
    spriden_first_name: 'firstName',
    spriden_mi: 'otherNames',
    spbpers_sex: 'gender',
    spbpers_birth_date: 'birthDate',
    sgbstdn_coll_code_1: 'college',
    sgbstdn_dept_code: 'department',
    sgbstdn_program_1: 'program',
    sgbstdn_term_code_admit: 'yearAdmitted',
    shrdgmr_grad_date: 'yearGraduated',
    goremal_email_address: 'email',
    sgbstdn_stst_code: 'status',
    spbpers_confid_ind: 'isConfidential',
    spbpers_dead_ind: 'isDeceased',
    spbpers_dead_date: 'diedOn',
  },
  PeopleSoft: {
    emplid: 'matricNumber',
    last_name: 'lastName',
    first_name: 'firstName',
    middle_name: 'otherNames',
    sex: 'gender',
    birthdate: 'birthDate',
    acad_group: 'college',
    acad_org: 'department',
    acad_plan: 'program',
    admit_term: 'yearAdmitted',
    exp_grad_term: 'yearGraduated',
    email_addr: 'email',
    phone: 'phone',
    prog_status: 'status',
    ferpa: 'isConfidential',
    dt_of_death: 'diedOn',
  },
};

export const presetNames = Object.keys(presets);

export function applyPreset({ columns }: ImportFile, name: string): Mapping {
  const preset = presets[name];
  return Object.fromEntries(
    columns.map(({ key, field, isLeftOut }) => {
      if (name === 'none' || isLeftOut) return [key, null];
      return [key, preset ? (preset[key.trim().toLowerCase()] ?? null) : field];
    }),
  );
}
