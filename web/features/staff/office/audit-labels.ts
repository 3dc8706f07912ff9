import type { AuditRecord } from '#contract/staff/audit.ts';
import { upperFirst, reword } from '#web/platform/words.ts';

/** Returns "Role granted" for `role-granted`, and "Left out" for `leftOut`. */
export const labelOfCode = (code: string): string =>
  upperFirst(code.replaceAll('-', ' ').replaceAll(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`));

const labels: Readonly<Record<string, string>> = {
  as: 'Reopened as',
  entry: 'Roster entry',
  isImpostor: 'Marked as an impostor',
};

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f-]{27}$/u;

/** Returns null for what says nothing: no value, and a fact that is not so. */
export function formatDetail({ name, value }: AuditRecord['details'][number]): string | null {
  if (value === '' || value === 'false') return null;
  const label = reword(labels[name] ?? labelOfCode(name));
  if (value === 'true') return label;
  return `${label}: ${uuidPattern.test(value) ? value.slice(0, 8) : value.replaceAll('-', ' ')}`;
}
