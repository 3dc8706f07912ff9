import type { CallInput } from '#contract/endpoint.ts';
import type { Endpoints } from '#contract/endpoints.ts';

export type StaffEndpointName = Extract<keyof Endpoints, `${string} /api/staff/${string}`>;

export interface StaffTarget {
  readonly person: string;
  readonly claim: string;
  readonly dispute: string;
  readonly report: string;
  readonly death: string;
  readonly correction: string;
  readonly change: string;
  readonly decision: string;
  readonly export: string;
  readonly approval: string;
  readonly announcement: string;
  readonly role: string;
  readonly entryId: number;
  readonly importId: string;
  readonly words: string;
  readonly college: string;
  readonly department: string;
  readonly year: number;
}

const unknownId = '00000000-0000-4000-8000-000000000000';

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

interface StaffInputs<Name extends StaffEndpointName> {
  /**
   * What a member of staff gets for a target outside their scope. `hidden`: the problem `not-found`. `left-out`: an
   * answer without it. `unscoped`: it is not about people in a scope.
   */
  readonly outside: 'hidden' | 'left-out' | 'unscoped';
  readonly inputs: (target: StaffTarget) => readonly CallInput<Endpoints[Name]>[];
}

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
 * Inputs of all endpoints of the staff console. An endpoint that is missing here fails the type check.
 * `server/tests/access.test.ts` and `staff-scope.test.ts` call each one as every kind of user.
 */
export const staffCalls: { readonly [Name in StaffEndpointName]: StaffInputs<Name> } = {
  'GET /api/staff/me': { outside: 'unscoped', inputs: none },
  'GET /api/staff/first-steps': { outside: 'unscoped', inputs: none },

  'GET /api/staff/queue': {
    outside: 'left-out',
    inputs: () => [
      { query: {} },
      { query: { limit: 100 } },
      { query: { kind: 'claim' } },
      { query: { name: 'ade', department: 'Physics' } },
      { query: { hideAsked: 'yes' } },
      { query: { kind: 'dispute' } },
      { query: { kind: 'report' } },
      { query: { kind: 'correction' } },
      { query: { kind: 'change' } },
      { query: { state: 'decided' } },
      { query: { state: 'decided', kind: 'claim' } },
    ],
  },
  'GET /api/staff/queue/{kind}/{id}': { outside: 'hidden', inputs: itemsOf },
  'PUT /api/staff/queue/{kind}/{id}/lease': {
    outside: 'hidden',
    inputs: (target) => itemsOf(target).map((item) => ({ ...item, body: { takeOver: true } })),
  },
  'DELETE /api/staff/queue/{kind}/{id}/lease': { outside: 'left-out', inputs: itemsOf },
  'POST /api/staff/queue/{kind}/{id}/notes': {
    outside: 'hidden',
    inputs: (target) => itemsOf(target).map((item) => ({ ...item, body: { text: 'Called back.' } })),
  },
  'POST /api/staff/queue/{kind}/{id}/decision': {
    outside: 'hidden',
    inputs: (target) =>
      itemsOf(target).map(({ params }) => ({ params, body: { decision: decisionOf[params.kind], version: '1' } })),
  },
  'POST /api/staff/queue/{kind}/{id}/reopen': {
    outside: 'hidden',
    inputs: (target) => itemsOf(target).map(({ params }) => ({ params, body: { reason: 'A document came later.' } })),
  },
  'POST /api/staff/queue/claims/confirm': {
    outside: 'left-out',
    inputs: (target) => [{ body: { items: itemsOf(target).map(({ params: { id } }) => ({ id, version: '1' })) } }],
  },
  'DELETE /api/staff/decisions/{id}': {
    outside: 'hidden',
    inputs: ({ decision: id }) => [{ params: { id } }],
  },
  'GET /api/staff/claims/{id}': {
    outside: 'hidden',
    inputs: ({ claim: id }) => [{ params: { id } }],
  },
  'POST /api/staff/claims/{id}/questions': {
    outside: 'hidden',
    inputs: ({ claim: id }) => [{ params: { id }, body: { text: 'Which name did you have as a student?' } }],
  },
  'POST /api/staff/claims/{id}/document': {
    outside: 'hidden',
    inputs: ({ claim: id }) => [{ params: { id } }],
  },
  'GET /api/staff/people/{id}/membership-history': {
    outside: 'hidden',
    inputs: ({ person: id }) => [{ params: { id } }],
  },
  'GET /api/staff/changes/{id}': {
    outside: 'hidden',
    inputs: ({ change: id }) => [{ params: { id } }],
  },
  'GET /api/staff/disputes/{id}': {
    outside: 'hidden',
    inputs: ({ dispute: id }) => [{ params: { id } }],
  },
  'GET /api/staff/reports': { outside: 'left-out', inputs: none },
  'GET /api/staff/reports/{id}': { outside: 'hidden', inputs: ofReports },
  'GET /api/staff/reports/{id}/picture': { outside: 'hidden', inputs: ofReports },
  'POST /api/staff/reports/{id}/restore': {
    outside: 'hidden',
    inputs: (target) =>
      (['photo', 'profile', 'account'] as const).flatMap((what) =>
        ofReport(target).map((report) => ({ ...report, body: { what } })),
      ),
  },

  'GET /api/staff/people': {
    outside: 'left-out',
    inputs: (target) => filtersOf(target).map((query) => ({ query })),
  },
  'GET /api/staff/people/{id}': { outside: 'hidden', inputs: ofPerson },
  'POST /api/staff/people/{id}/disclosures': {
    outside: 'hidden',
    inputs: ({ person: id }) => [{ params: { id }, body: { reason: 'asked-for-help' } }],
  },
  'DELETE /api/staff/people/{id}/sessions': {
    outside: 'hidden',
    inputs: ofPerson,
  },
  'PUT /api/staff/people/{id}/email': {
    outside: 'hidden',
    inputs: ({ person: id }) => [{ params: { id }, body: { email: 'new@mail.example', hasCheckedIdentity: true } }],
  },
  'POST /api/staff/people/{id}/second-factor-reset': {
    outside: 'hidden',
    inputs: ({ person: id }) => [{ params: { id }, body: { hasCheckedIdentity: true } }],
  },
  'POST /api/staff/people/{id}/mails': {
    outside: 'hidden',
    inputs: ({ person: id }) => [{ params: { id }, body: { mail: 'password-reset' } }],
  },
  'POST /api/staff/people/{id}/deletion': {
    outside: 'hidden',
    inputs: ofPerson,
  },
  'POST /api/staff/people/{id}/confirmation-withdrawal': {
    outside: 'hidden',
    inputs: ({ person: id }) => [{ params: { id }, body: { reason: 'Not found.', isImpostor: false } }],
  },
  'POST /api/staff/people/{id}/impostor-clearance': {
    outside: 'hidden',
    inputs: ({ person: id }) => [{ params: { id }, body: { reason: 'saw-person' } }],
  },
  'PUT /api/staff/people/{id}/suspension': {
    outside: 'hidden',
    inputs: ({ person: id }) => [{ params: { id }, body: { days: 7 } }],
  },
  'DELETE /api/staff/people/{id}/suspension': {
    outside: 'hidden',
    inputs: ofPerson,
  },
  'GET /api/staff/exports': { outside: 'left-out', inputs: none },
  'GET /api/staff/exports/count': {
    outside: 'left-out',
    inputs: (target) => filtersOf(target).map((query) => ({ query })),
  },
  'POST /api/staff/exports': {
    outside: 'left-out',
    inputs: (target) => filtersOf(target).map((filter) => ({ body: { filter, columns: ['last-name', 'email'] } })),
  },
  'GET /api/staff/exports/{id}/file': {
    outside: 'hidden',
    inputs: ({ export: id }) => [{ params: { id } }],
  },

  'GET /api/staff/roster/imports': { outside: 'unscoped', inputs: none },
  // The test sends the file as the request body.
  'POST /api/staff/roster/imports': {
    outside: 'unscoped',
    inputs: () => [{ query: { name: 'list.csv' } }],
  },
  'GET /api/staff/roster/imports/{id}': {
    outside: 'unscoped',
    inputs: ofImport,
  },
  'PUT /api/staff/roster/imports/{id}/settings': {
    outside: 'unscoped',
    inputs: ({ importId: id }) => [{ params: { id }, body: {} }],
  },
  'POST /api/staff/roster/imports/{id}/check': {
    outside: 'unscoped',
    inputs: ofImport,
  },
  'POST /api/staff/roster/imports/{id}/apply': {
    outside: 'unscoped',
    inputs: ({ importId: id }) => [{ params: { id }, body: { checkedAt: '2026-11-23', confirmed: [] } }],
  },
  'POST /api/staff/roster/imports/{id}/cancel': {
    outside: 'unscoped',
    inputs: ofImport,
  },
  'POST /api/staff/roster/imports/{id}/undo': {
    outside: 'unscoped',
    inputs: ofImport,
  },
  'GET /api/staff/roster/imports/{id}/changes': {
    outside: 'unscoped',
    inputs: ({ importId: id }) => [{ params: { id }, query: { kind: 'new' } }],
  },
  'GET /api/staff/roster/imports/{id}/changes/file': {
    outside: 'unscoped',
    inputs: ({ importId: id }) => [{ params: { id }, query: { kind: 'new' } }],
  },
  'GET /api/staff/roster/imports/{id}/errors': {
    outside: 'unscoped',
    inputs: ofImport,
  },

  'GET /api/staff/coverage': { outside: 'left-out', inputs: none },
  'GET /api/staff/coverage/file': { outside: 'left-out', inputs: none },
  'GET /api/staff/tracer': {
    outside: 'left-out',
    inputs: ({ college, department }) => [{ query: {} }, { query: { college, department } }],
  },
  'GET /api/staff/tracer/file': { outside: 'left-out', inputs: none },

  'GET /api/staff/employers': { outside: 'unscoped', inputs: () => [{ query: {} }, { query: { q: 'bank' } }] },
  'POST /api/staff/employers': {
    outside: 'unscoped',
    inputs: () => [{ body: { key: 'unknown', into: null } }, { body: { key: 'unknown', into: 'other' } }],
  },

  'GET /api/staff/invitations': {
    outside: 'left-out',
    inputs: ({ department, year }) => [{ query: { department } }, { query: { department, year } }],
  },
  'POST /api/staff/invitations': {
    outside: 'left-out',
    inputs: ({ department, year }) => [{ body: { department, year } }],
  },
  'GET /api/staff/classes/call-list': {
    outside: 'left-out',
    inputs: ({ department, year }) => [{ query: { department, year } }],
  },
  'GET /api/staff/announcements': { outside: 'left-out', inputs: none },
  'POST /api/staff/announcements': { outside: 'unscoped', inputs: none },
  'GET /api/staff/announcements/{id}': { outside: 'hidden', inputs: ofAnnouncement },
  'PUT /api/staff/announcements/{id}': {
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
  'DELETE /api/staff/announcements/{id}': { outside: 'hidden', inputs: ofAnnouncement },
  'GET /api/staff/announcements/{id}/preview': { outside: 'hidden', inputs: ofAnnouncement },
  'POST /api/staff/announcements/{id}/test': { outside: 'hidden', inputs: ofAnnouncement },
  'POST /api/staff/announcements/{id}/send': {
    outside: 'hidden',
    inputs: ({ announcement: id }) => [{ params: { id }, body: { version: 1 } }],
  },
  'POST /api/staff/announcements/{id}/stop': { outside: 'hidden', inputs: ofAnnouncement },
  'GET /api/staff/roster/codes': {
    outside: 'unscoped',
    inputs: () => [{ query: {} }],
  },
  'POST /api/staff/roster/codes': {
    outside: 'unscoped',
    inputs: () => [{ body: {} }],
  },
  'GET /api/staff/roster/entries/{id}': {
    outside: 'hidden',
    inputs: ({ entryId: id }) => [{ params: { id } }],
  },
  'POST /api/staff/roster/entries/{id}/link': {
    outside: 'hidden',
    inputs: ({ entryId: id, person: accountId }) => [{ params: { id }, body: { accountId, seen: 'Certificate' } }],
  },
  'GET /api/staff/classes': {
    outside: 'hidden',
    inputs: ({ department, year }) => [{ query: { department, year } }],
  },
  'GET /api/staff/corrections': { outside: 'left-out', inputs: none },
  'POST /api/staff/corrections': {
    outside: 'hidden',
    inputs: ({ entryId }) => [{ body: { correction: { reason: 'deceased', entryId } } }],
  },
  'GET /api/staff/corrections/{id}': {
    outside: 'hidden',
    inputs: ({ correction: id }) => [{ params: { id } }],
  },

  'GET /api/staff/approvals': { outside: 'left-out', inputs: none },
  'POST /api/staff/approvals/{id}/approve': {
    outside: 'unscoped',
    inputs: ofRequest,
  },
  'POST /api/staff/approvals/{id}/refuse': { outside: 'unscoped', inputs: ofRequest },
  'POST /api/staff/approvals/{id}/cancel': { outside: 'unscoped', inputs: ofRequest },
  'GET /api/staff/audit-log': { outside: 'unscoped', inputs: () => [{ query: {} }] },
  'GET /api/staff/roles': { outside: 'unscoped', inputs: none },
  'POST /api/staff/roles': {
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
  'DELETE /api/staff/invitations/{id}': {
    outside: 'unscoped',
    inputs: ({ role: id }) => [{ params: { id } }],
  },
  'DELETE /api/staff/roles/{id}': {
    outside: 'unscoped',
    inputs: ({ role: id }) => [{ params: { id } }],
  },
};

export const staffEndpointNames = Object.keys(staffCalls) as StaffEndpointName[];
