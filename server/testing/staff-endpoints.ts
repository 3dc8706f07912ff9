import type { CallInput } from '#contract/endpoint.ts';
import type { Endpoints } from '#contract/endpoints.ts';
import type { StaffRight } from '#contract/staff-values.ts';

/** The endpoints of the staff console. */
export type StaffEndpointName = Extract<keyof Endpoints, `${string} /api/staff/${string}`>;

/** What the calls of a test concern: ids of a person, and of things about the person. */
export interface StaffTarget {
  readonly person: string;
  readonly claim: string;
  readonly dispute: string;
  readonly report: string;
  /** A report that only says that the person has died. */
  readonly death: string;
  readonly correction: string;
  readonly change: string;
  /** A decision about the claim. */
  readonly decision: string;
  readonly export: string;
  readonly approval: string;
  readonly announcement: string;
  readonly role: string;
  readonly entryId: number;
  readonly importId: string;
  /** Words of a search. */
  readonly words: string;
  readonly college: string;
  readonly department: string;
  readonly year: number;
}

const unknownId = '00000000-0000-4000-8000-000000000000';

/** A target that does not exist. */
export const unknownTarget: StaffTarget = {
  person: unknownId,
  claim: unknownId,
  dispute: unknownId,
  report: unknownId,
  death: unknownId,
  correction: unknownId,
  change: unknownId,
  decision: unknownId,
  export: unknownId,
  approval: unknownId,
  announcement: unknownId,
  role: unknownId,
  entryId: 1,
  importId: '1',
  words: 'Unknown',
  college: 'COSIT',
  department: 'Computer Science',
  year: 2015,
};

/** Who may call an endpoint, and valid input for it. */
interface StaffEndpoint<Name extends StaffEndpointName> {
  /** One of these rights is enough. `role`: every role, also without a second factor. */
  readonly rights: readonly StaffRight[] | 'role';
  /** Whether a role that is limited to a part of the institution is not enough. */
  readonly isUnlimited?: true;
  /** Whether the password must be at most five minutes old, whatever the call concerns. */
  readonly needsRecentPassword?: true;
  /**
   * What a member of staff gets for a target outside their scope. `hidden`: the problem `not-found`. `left-out`: an answer without it.
   * `unscoped`: it is not about people in a scope.
   */
  readonly outside: 'hidden' | 'left-out' | 'unscoped';
  readonly inputs: (target: StaffTarget) => readonly CallInput<Endpoints[Name]>[];
}

const review: readonly StaffRight[] = ['claims', 'reports', 'deaths', 'corrections'];
const none = () => [{}] as const;
const itemsOf = ({ claim, dispute, report, death, correction, change }: StaffTarget) =>
  [
    { params: { kind: 'claim', id: claim } },
    { params: { kind: 'dispute', id: dispute } },
    { params: { kind: 'report', id: report } },
    { params: { kind: 'report', id: death } },
    { params: { kind: 'correction', id: correction } },
    { params: { kind: 'change', id: change } },
  ] as const;
const ofPerson = ({ person: id }: StaffTarget) => [{ params: { id } }] as const;
const ofReport = ({ report: id }: StaffTarget) => [{ params: { id } }] as const;
const ofReports = ({ report, death }: StaffTarget) => [{ params: { id: report } }, { params: { id: death } }] as const;
const ofRequest = ({ approval: id }: StaffTarget) => [{ params: { id } }] as const;
const ofAnnouncement = ({ announcement: id }: StaffTarget) => [{ params: { id } }] as const;
const ofImport = ({ importId: id }: StaffTarget) => [{ params: { id } }] as const;
const filtersOf = ({ words, college, department, year }: StaffTarget) =>
  [{}, { q: words }, { college }, { department, year }] as const;
const decisionOf = {
  claim: { outcome: 'reject', reason: 'We found no student with this name.' },
  dispute: { outcome: 'keep' },
  report: { outcome: 'nothing' },
  correction: { outcome: 'refuse', text: 'The registrar has no such record.' },
  change: { outcome: 'refuse', text: 'Bring a document.' },
} as const;

/**
 * All endpoints of the staff console. An endpoint that is missing here fails the type check. `server/tests/staff-rights.test.ts` and
 * `staff-scope.test.ts` call each one as every kind of user.
 */
export const staffCalls: { readonly [Name in StaffEndpointName]: StaffEndpoint<Name> } = {
  'GET /api/staff/me': { rights: 'role', outside: 'unscoped', inputs: none },

  'GET /api/staff/queue': {
    rights: review,
    outside: 'left-out',
    inputs: () => [
      { query: {} },
      { query: { limit: 100 } },
      { query: { kind: 'claim' } },
      { query: { kind: 'dispute' } },
      { query: { kind: 'report' } },
      { query: { kind: 'correction' } },
      { query: { kind: 'change' } },
      { query: { state: 'decided' } },
      { query: { state: 'decided', kind: 'claim' } },
    ],
  },
  'GET /api/staff/queue/{kind}/{id}': { rights: review, outside: 'hidden', inputs: itemsOf },
  'PUT /api/staff/queue/{kind}/{id}/hold': {
    rights: review,
    outside: 'hidden',
    inputs: (target) => itemsOf(target).map((item) => ({ ...item, body: { takeOver: true } })),
  },
  'DELETE /api/staff/queue/{kind}/{id}/hold': { rights: review, outside: 'left-out', inputs: itemsOf },
  'POST /api/staff/queue/{kind}/{id}/notes': {
    rights: review,
    outside: 'hidden',
    inputs: (target) => itemsOf(target).map((item) => ({ ...item, body: { text: 'Called back.' } })),
  },
  'POST /api/staff/queue/{kind}/{id}/decision': {
    rights: review,
    outside: 'hidden',
    inputs: (target) =>
      itemsOf(target).map(({ params }) => ({ params, body: { decision: decisionOf[params.kind], version: '1' } })),
  },
  'POST /api/staff/queue/{kind}/{id}/reopen': {
    rights: review,
    outside: 'hidden',
    inputs: (target) => itemsOf(target).map(({ params }) => ({ params, body: { reason: 'A document came later.' } })),
  },
  'POST /api/staff/queue/claims/confirm': {
    rights: review,
    needsRecentPassword: true,
    outside: 'left-out',
    inputs: (target) => [{ body: { items: itemsOf(target).map(({ params: { id } }) => ({ id, version: '1' })) } }],
  },
  'DELETE /api/staff/decisions/{id}': {
    rights: review,
    outside: 'hidden',
    inputs: ({ decision: id }) => [{ params: { id } }],
  },
  'GET /api/staff/claims/{id}': {
    rights: ['claims'],
    outside: 'hidden',
    inputs: ({ claim: id }) => [{ params: { id } }],
  },
  'GET /api/staff/people/{id}/membership-history': {
    rights: ['claims', 'reports'],
    outside: 'hidden',
    inputs: ({ person: id }) => [{ params: { id } }],
  },
  'GET /api/staff/changes/{id}': {
    rights: ['claims'],
    outside: 'hidden',
    inputs: ({ change: id }) => [{ params: { id } }],
  },
  'GET /api/staff/disputes/{id}': {
    rights: ['claims'],
    outside: 'hidden',
    inputs: ({ dispute: id }) => [{ params: { id } }],
  },
  'GET /api/staff/reports': { rights: ['reports'], outside: 'left-out', inputs: none },
  'GET /api/staff/reports/{id}': { rights: ['reports', 'deaths'], outside: 'hidden', inputs: ofReports },
  'GET /api/staff/reports/{id}/picture': { rights: ['reports', 'deaths'], outside: 'hidden', inputs: ofReports },
  'POST /api/staff/reports/{id}/restore': {
    rights: ['reports'],
    outside: 'hidden',
    inputs: (target) =>
      (['photo', 'profile', 'account'] as const).flatMap((what) =>
        ofReport(target).map((report) => ({ ...report, body: { what } })),
      ),
  },

  'GET /api/staff/people': {
    rights: ['people'],
    outside: 'left-out',
    inputs: (target) => filtersOf(target).map((query) => ({ query })),
  },
  'GET /api/staff/people/{id}': { rights: ['people'], outside: 'hidden', inputs: ofPerson },
  'POST /api/staff/people/{id}/looks': {
    rights: ['people'],
    needsRecentPassword: true,
    outside: 'hidden',
    inputs: ({ person: id }) => [{ params: { id }, body: { reason: 'asked-for-help' } }],
  },
  'DELETE /api/staff/people/{id}/sessions': {
    rights: ['change-accounts'],
    needsRecentPassword: true,
    outside: 'hidden',
    inputs: ofPerson,
  },
  'PUT /api/staff/people/{id}/email': {
    rights: ['change-accounts'],
    needsRecentPassword: true,
    outside: 'hidden',
    inputs: ({ person: id }) => [{ params: { id }, body: { email: 'new@mail.example', hasCheckedIdentity: true } }],
  },
  'POST /api/staff/people/{id}/second-factor-reset': {
    rights: ['roles'],
    needsRecentPassword: true,
    outside: 'hidden',
    inputs: ({ person: id }) => [{ params: { id }, body: { hasCheckedIdentity: true } }],
  },
  'POST /api/staff/people/{id}/mails': {
    rights: ['change-accounts'],
    needsRecentPassword: true,
    outside: 'hidden',
    inputs: ({ person: id }) => [{ params: { id }, body: { mail: 'password-reset' } }],
  },
  'POST /api/staff/people/{id}/deletion': {
    rights: ['change-accounts'],
    needsRecentPassword: true,
    outside: 'hidden',
    inputs: ofPerson,
  },
  'POST /api/staff/people/{id}/confirmation-withdrawal': {
    rights: ['claims'],
    needsRecentPassword: true,
    outside: 'hidden',
    inputs: ({ person: id }) => [{ params: { id }, body: { reason: 'Not found.', isImpostor: false } }],
  },
  'POST /api/staff/people/{id}/impostor-clearance': {
    rights: ['claims'],
    needsRecentPassword: true,
    outside: 'hidden',
    inputs: ({ person: id }) => [{ params: { id }, body: { reason: 'saw-person' } }],
  },
  'PUT /api/staff/people/{id}/suspension': {
    rights: ['suspend-accounts'],
    needsRecentPassword: true,
    outside: 'hidden',
    inputs: ({ person: id }) => [{ params: { id }, body: { days: 7 } }],
  },
  'DELETE /api/staff/people/{id}/suspension': {
    rights: ['suspend-accounts'],
    needsRecentPassword: true,
    outside: 'hidden',
    inputs: ofPerson,
  },
  'GET /api/staff/exports': { rights: ['export-people'], outside: 'left-out', inputs: none },
  'GET /api/staff/exports/count': {
    rights: ['export-people'],
    outside: 'left-out',
    inputs: (target) => filtersOf(target).map((query) => ({ query })),
  },
  'POST /api/staff/exports': {
    rights: ['export-people'],
    needsRecentPassword: true,
    outside: 'left-out',
    inputs: (target) => filtersOf(target).map((filter) => ({ body: { filter, columns: ['last-name', 'email'] } })),
  },
  'GET /api/staff/exports/{id}/file': {
    rights: ['export-people'],
    outside: 'hidden',
    inputs: ({ export: id }) => [{ params: { id } }],
  },

  'GET /api/staff/roster/imports': { rights: ['roster'], isUnlimited: true, outside: 'unscoped', inputs: none },
  // The test sends the file as the request body.
  'POST /api/staff/roster/imports': {
    rights: ['roster'],
    isUnlimited: true,
    outside: 'unscoped',
    inputs: () => [{ query: { name: 'list.csv' } }],
  },
  'GET /api/staff/roster/imports/{id}': {
    rights: ['roster'],
    isUnlimited: true,
    outside: 'unscoped',
    inputs: ofImport,
  },
  'PUT /api/staff/roster/imports/{id}/settings': {
    rights: ['roster'],
    isUnlimited: true,
    outside: 'unscoped',
    inputs: ({ importId: id }) => [{ params: { id }, body: {} }],
  },
  'POST /api/staff/roster/imports/{id}/check': {
    rights: ['roster'],
    isUnlimited: true,
    outside: 'unscoped',
    inputs: ofImport,
  },
  'POST /api/staff/roster/imports/{id}/apply': {
    rights: ['roster'],
    isUnlimited: true,
    needsRecentPassword: true,
    outside: 'unscoped',
    inputs: ({ importId: id }) => [{ params: { id }, body: { checkedAt: '2026-11-23', confirmed: [] } }],
  },
  'POST /api/staff/roster/imports/{id}/cancel': {
    rights: ['roster'],
    isUnlimited: true,
    outside: 'unscoped',
    inputs: ofImport,
  },
  'POST /api/staff/roster/imports/{id}/undo': {
    rights: ['roster'],
    isUnlimited: true,
    needsRecentPassword: true,
    outside: 'unscoped',
    inputs: ofImport,
  },
  'GET /api/staff/roster/imports/{id}/errors': {
    rights: ['roster'],
    isUnlimited: true,
    outside: 'unscoped',
    inputs: ofImport,
  },

  'GET /api/staff/coverage': { rights: ['coverage'], outside: 'left-out', inputs: none },
  'GET /api/staff/coverage/file': { rights: ['coverage'], outside: 'left-out', inputs: none },

  'GET /api/staff/announcements': { rights: ['announcements'], outside: 'left-out', inputs: none },
  'POST /api/staff/announcements': { rights: ['announcements'], outside: 'unscoped', inputs: none },
  'GET /api/staff/announcements/{id}': { rights: ['announcements'], outside: 'hidden', inputs: ofAnnouncement },
  'PUT /api/staff/announcements/{id}': {
    rights: ['announcements'],
    outside: 'hidden',
    inputs: ({ announcement: id, college }) => [
      {
        params: { id },
        body: {
          subject: 'Reunion',
          text: 'Come.',
          scope: { college, department: null, yearFrom: null, yearTo: null },
          version: 1,
        },
      },
    ],
  },
  'DELETE /api/staff/announcements/{id}': { rights: ['announcements'], outside: 'hidden', inputs: ofAnnouncement },
  'GET /api/staff/announcements/{id}/preview': { rights: ['announcements'], outside: 'hidden', inputs: ofAnnouncement },
  'POST /api/staff/announcements/{id}/send': {
    rights: ['announcements'],
    outside: 'hidden',
    needsRecentPassword: true,
    inputs: ({ announcement: id }) => [{ params: { id }, body: { version: 1 } }],
  },
  'POST /api/staff/announcements/{id}/stop': { rights: ['announcements'], outside: 'hidden', inputs: ofAnnouncement },
  'GET /api/staff/roster/codes': {
    rights: ['roster'],
    isUnlimited: true,
    outside: 'unscoped',
    inputs: () => [{ query: {} }],
  },
  'POST /api/staff/roster/codes': {
    rights: ['roster'],
    isUnlimited: true,
    needsRecentPassword: true,
    outside: 'unscoped',
    inputs: () => [{ body: {} }],
  },
  'GET /api/staff/classes': {
    rights: ['propose-corrections'],
    outside: 'hidden',
    inputs: ({ department, year }) => [{ query: { department, year } }],
  },
  'GET /api/staff/corrections': { rights: ['propose-corrections'], outside: 'left-out', inputs: none },
  'POST /api/staff/corrections': {
    rights: ['propose-corrections'],
    outside: 'hidden',
    inputs: ({ entryId }) => [{ body: { correction: { reason: 'deceased', entryId } } }],
  },
  'GET /api/staff/corrections/{id}': {
    rights: ['corrections'],
    outside: 'hidden',
    inputs: ({ correction: id }) => [{ params: { id } }],
  },

  'GET /api/staff/approvals': { rights: ['cancel-approvals'], outside: 'left-out', inputs: none },
  'POST /api/staff/approvals/{id}/approve': {
    rights: ['approvals'],
    needsRecentPassword: true,
    outside: 'unscoped',
    inputs: ofRequest,
  },
  'POST /api/staff/approvals/{id}/refuse': { rights: ['approvals'], outside: 'unscoped', inputs: ofRequest },
  'POST /api/staff/approvals/{id}/cancel': { rights: ['cancel-approvals'], outside: 'unscoped', inputs: ofRequest },
  'GET /api/staff/audit-log': { rights: ['audit-log'], outside: 'unscoped', inputs: () => [{ query: {} }] },
  'GET /api/staff/roles': { rights: ['roles'], outside: 'unscoped', inputs: none },
  'POST /api/staff/roles': {
    rights: ['roles'],
    needsRecentPassword: true,
    outside: 'unscoped',
    inputs: () => [
      {
        body: {
          email: 'unknown@mail.example',
          role: 'moderator',
          college: null,
          department: null,
          yearFrom: null,
          yearTo: null,
          lastDay: null,
        },
      },
    ],
  },
  'DELETE /api/staff/roles/{id}': {
    rights: ['roles'],
    needsRecentPassword: true,
    outside: 'unscoped',
    inputs: ({ role: id }) => [{ params: { id } }],
  },
};

/** The names of all endpoints of the staff console. */
export const staffEndpointNames = Object.keys(staffCalls) as StaffEndpointName[];
