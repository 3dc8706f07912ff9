import type { ExportState } from '#contract/staff/exports.ts';
import type { EntryFile, FoundEntry } from '#contract/staff/entries.ts';
import type { DisclosureReason, FoundPerson, PersonState } from '#contract/staff/people.ts';
import { formatDate } from '#web/ui/day.tsx';
import { staffPath } from '../staff-paths.ts';

export const stateLabels: Record<PersonState, { label: string; tone?: 'good' | 'danger' }> = {
  unverified: { label: 'Address not verified' },
  'no-profile': { label: 'No profile' },
  unconfirmed: { label: 'Not confirmed' },
  confirmed: { label: 'Confirmed' },
  disputed: { label: 'Disputed', tone: 'danger' },
  rejected: { label: 'Rejected', tone: 'danger' },
  suspended: { label: 'Suspended', tone: 'danger' },
  hidden: { label: 'Hidden' },
  'deletion-requested': { label: 'Deletion requested', tone: 'danger' },
};

export const disclosureReasonLabels: Record<DisclosureReason, string> = {
  'asked-for-help': 'The person asked for help',
  'claim-or-dispute': 'To decide a claim or a dispute',
  report: 'To decide a report',
  'legal-request': 'A legal request',
  other: 'Another reason',
};

export const exportStateLabels: Record<ExportState, { label: string; tone?: 'good' | 'danger' }> = {
  waiting: { label: 'Waiting for approval' },
  making: { label: 'In progress' },
  ready: { label: 'Ready', tone: 'good' },
  refused: { label: 'Not approved', tone: 'danger' },
  failed: { label: 'Failed', tone: 'danger' },
  expired: { label: 'File deleted' },
};

type Identified = Pick<FoundPerson, 'name' | 'email' | 'department' | 'yearGraduated' | 'createdAt'>;

/** Returns what tells people of one name apart, without what they hide. */
export const identityOf = ({ email, department, yearGraduated, createdAt }: Identified): string =>
  [email, department, yearGraduated].filter((value) => value !== null).join(' · ') || `Since ${formatDate(createdAt)}`;

export const nameOf = ({ name }: { name: string | null }): string => name ?? 'No name yet';

export const entryPath = (id: number): string => staffPath('people', `entry-${id}`);

export const entryNameOf = ({
  lastName,
  firstName,
  otherNames,
}: Pick<FoundEntry, 'lastName' | 'firstName' | 'otherNames'>) =>
  `${lastName}, ${[firstName, otherNames].filter(Boolean).join(' ')}`;

export const entryClassOf = ({ matricNumber, department, yearGraduated }: FoundEntry): string =>
  [matricNumber, [department, yearGraduated].filter((value) => value !== null).join(' ')].filter(Boolean).join(' · ');

export const entryMarkLabels: Record<EntryFile['marks'][number], string> = {
  confidential: 'Confidential',
  deceased: 'Has died',
  missing: 'Missing from the last list',
  contested: 'Contested',
  'wrong-address': 'Address wrong',
};

export const entryStatusLabels: Record<EntryFile['status'], string> = {
  student: 'Student',
  graduate: 'Graduate',
  left: 'Left without a degree',
};
