import type { StaffScope } from '#contract/staff.ts';
import type { StaffRole } from '#contract/staff-values.ts';

/** The names of the roles. */
export const roleNames: Record<StaffRole, string> = {
  owner: 'Owner',
  registrar: 'Registrar',
  moderator: 'Moderator',
  'class-representative': 'Class representative',
};

/** Returns a scope in words, such as "COSIT" or "Computer Science, 2010 to 2015". */
export function scopeInWords({ college, department, yearFrom, yearTo }: StaffScope): string {
  if (college !== null) return college;
  if (department === null) return 'Whole institution';
  return `${department}, ${yearFrom === yearTo ? yearFrom : `${yearFrom} to ${yearTo}`}`;
}
