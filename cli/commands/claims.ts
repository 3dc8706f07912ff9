import { ConfirmationRefused } from '#server/domain/confirmations.ts';
import { Id, prose } from '#contract/fields.ts';
import { fieldLengths } from '#contract/field-lengths.ts';
import type { Db } from '#server/db/client.ts';
import { recordAuditEvent } from '#server/domain/audit-events.ts';
import { findCandidates } from '#server/domain/roster/candidates.ts';
import { findEntryByMatricKey } from '#server/domain/roster/claimed-entries.ts';
import { readFrequencies } from '#server/domain/roster/frequencies.ts';
import { findHolder } from '#server/domain/roster/links.ts';
import { rankCandidates } from '#server/domain/roster/matching.ts';
import { toMatricKey } from '#server/domain/roster/matric-key.ts';
import { withdrawConfirmation } from '#server/domain/withdraw-confirmation.ts';
import { confirmClaim, rejectClaim, resolveDispute } from '#server/features/membership/staff-decisions.ts';
import {
  type OpenDispute,
  type WaitingClaim,
  findOpenDisputes,
  findWaitingClaims,
} from '#server/features/membership/staff-queries.ts';
import { type Command, Failure, confirmChange } from '../support/command.ts';
import { describeAccount } from '../support/describe-account.ts';
import { describeCandidate, describeClaim, joinOrNone } from '../support/describe-claim.ts';
import { formatMinute } from '../support/format-minute.ts';
import { openOperatorLog } from '../support/operator-log.ts';
import { requireAccount } from '../support/require-account.ts';
import { withArchive } from '../support/with-archive.ts';

/** Maximum number of roster entries that `claims show` prints. */
const maxCandidates = 5;

const exampleId = '6f1c0a52-9d1e-4f5b-8a31-2c7d5e0b9a64';

const impostorOption = {
  type: 'boolean',
  summary: 'the person pretended to be someone else: members who vouched for them may not vouch for 180 days',
} as const;

export const claimsList: Command = {
  name: 'claims list',
  summary: 'List the claims that wait for a decision, the oldest first.',
  examples: [''],
  run: async (_, { environment, print }) =>
    withArchive(environment, async ({ context: { db } }) => {
      const claims = await findWaitingClaims(db);
      if (claims.length === 0) print('No claims are waiting.');
      for (const { id, createdAt, email } of claims) print(`${id}  ${formatMinute(createdAt)}  ${email}`);
      const disputes = await findOpenDisputes(db);
      if (disputes.length > 0) print(`Open disputes: ${disputes.length}. To list them, run "claims disputes".`);
    }),
};

export const claimsShow: Command = {
  name: 'claims show',
  summary: 'Show a claim, and up to five roster entries that it may refer to, the most similar first.',
  requiredArguments: ['ID'],
  description: ['The order proves nothing: confirm a claim only if you have seen the person or a document.'],
  examples: [exampleId],
  run: async ({ args: [id = ''] }, { environment, print }) =>
    withArchive(environment, async ({ context: { db } }) => {
      const claim = await requireClaim(db, id);
      for (const line of describeClaim(claim)) print(line);
      const candidates = rankCandidates(
        claim.typed,
        await findCandidates(db, claim.typed),
        await readFrequencies(db, claim.typed),
      ).slice(0, maxCandidates);
      print(candidates.length === 0 ? '\nNo similar entry is on the roster.' : '\nSimilar entries on the roster:');
      for (const [at, candidate] of candidates.entries()) {
        const heldBy = await findHolderEmail(db, candidate.entry.id);
        for (const line of describeCandidate(candidate, { number: at + 1, email: claim.email, heldBy })) print(line);
      }
    }),
};

export const claimsConfirm: Command = {
  name: 'claims confirm',
  summary: 'Confirm a claim after you have seen the person or a document.',
  requiredArguments: ['ID'],
  options: {
    entry: { type: 'string', valueName: 'MATRIC', summary: 'matric number of the roster entry of this person' },
    'no-entry': { type: 'boolean', summary: 'the person is on no roster' },
    seen: { type: 'string', valueName: 'TEXT', summary: 'what you have seen, without names or numbers' },
  },
  examples: [
    `${exampleId} --entry CSC/15/0012 --seen "passport"`,
    `${exampleId} --no-entry --seen "certificate of 1981"`,
  ],
  run: async ({ args: [id = ''], values, flags }, { environment, print }) =>
    withArchive(environment, async ({ context, config }) => {
      const claim = await requireClaim(context.db, id);
      const seen = readText(values['seen'], '--seen TEXT: what you have seen, such as "passport"');
      if ((values['entry'] === undefined) === !flags.has('no-entry'))
        throw new Failure('Add either --entry MATRIC or --no-entry.');
      const entryId = values['entry'] === undefined ? null : await requireEntry(context.db, values['entry']);
      const log = openOperatorLog(config.dataDir);
      const outcome = await context.db
        .transaction()
        .execute((tx) => confirmClaim(context, tx, claim.id, { entryId, seen, decidedBy: null }))
        .catch(explainRefusal);
      if (outcome === null) throw createDecided(id);
      recordAuditEvent(log, 'claim confirmed by the operator');
      print(
        outcome === 'confirmed'
          ? `The account of claim ${claim.id} is confirmed.`
          : 'Not confirmed: another account is confirmed as this entry by equally strong evidence, or this account is confirmed as another entry. The claim still waits. To decide, run "claims disputes".',
      );
    }),
};

export const claimsReject: Command = {
  name: 'claims reject',
  summary: 'Reject a claim. The user receives the reason, and can send another claim.',
  requiredArguments: ['ID'],
  options: {
    reason: { type: 'string', valueName: 'TEXT', summary: 'reason that the user reads' },
    impostor: impostorOption,
  },
  examples: [`${exampleId} --reason "We found no student with this name. Please bring a document to the office."`],
  run: async ({ args: [id = ''], values, flags }, { environment, print }) =>
    withArchive(environment, async ({ context, config }) => {
      const claim = await requireClaim(context.db, id);
      const reason = readText(values['reason'], '--reason TEXT: the user reads it');
      const log = openOperatorLog(config.dataDir);
      const decision = { reason, isImpostor: flags.has('impostor'), decidedBy: null };
      if (!(await context.db.transaction().execute((tx) => rejectClaim(tx, claim.id, decision))))
        throw createDecided(id);
      recordAuditEvent(log, 'claim rejected by the operator');
      print(`Claim ${claim.id} was rejected.`);
    }),
};

export const claimsWithdraw: Command = {
  name: 'claims withdraw',
  summary: 'Withdraw the confirmation of an account. The user receives the reason, and can send another claim.',
  requiredArguments: ['EMAIL'],
  options: {
    reason: { type: 'string', valueName: 'TEXT', summary: 'reason that the user reads' },
    impostor: impostorOption,
    'dry-run': { type: 'boolean', summary: 'print the account, without changing it' },
  },
  description: [
    'Use this if an account was confirmed by mistake. If someone else claims the same entry, decide the dispute instead.',
    'The account loses its roster entry and sees what guests see. Nothing is deleted.',
    'You can name the account by its ID instead of its address.',
  ],
  examples: ['ada@mail.example --reason "The certificate belongs to another person." --dry-run'],
  run: (input, tools) =>
    withArchive(tools.environment, async ({ context: { db }, config }) => {
      const { id, email } = await requireAccount(db, input.args[0] ?? '');
      const reason = readText(input.values['reason'], '--reason TEXT: the user reads it');
      const plan = async () => [`${email} would lose the confirmation:`, ...(await describeAccount(db, id))].join('\n');
      if (!(await confirmChange(input, tools, false, plan))) return;
      const log = openOperatorLog(config.dataDir);
      const decision = { reason, isImpostor: input.flags.has('impostor'), decidedBy: null };
      const refusal = await db.transaction().execute((tx) => withdrawConfirmation(tx, id, decision));
      if (refusal !== null) throw new Failure(refusal);
      recordAuditEvent(log, 'confirmation withdrawn by the operator');
      tools.print(`The confirmation of ${email} was withdrawn.`);
    }),
};

export const claimsDisputes: Command = {
  name: 'claims disputes',
  summary: 'List the open disputes: who is confirmed as a roster entry, and who else claims it.',
  examples: [''],
  run: async (_, { environment, print }) =>
    withArchive(environment, async ({ context: { db } }) => {
      const disputes = await findOpenDisputes(db);
      if (disputes.length === 0) print('No disputes are open.');
      for (const dispute of disputes) for (const line of formatDispute(dispute)) print(line);
    }),
};

export const claimsResolve: Command = {
  name: 'claims resolve',
  summary: 'Decide a dispute.',
  requiredArguments: ['ID'],
  options: {
    keep: { type: 'boolean', summary: 'the account that holds the entry stays confirmed' },
    transfer: { type: 'boolean', summary: 'the other account gets the entry; the holder loses it' },
    impostor: impostorOption,
  },
  description: [
    'The account that loses receives a neutral reason. If no other account claims the entry, --transfer leaves the entry without an account.',
  ],
  examples: [`${exampleId} --keep`, `${exampleId} --transfer --impostor`],
  run: async ({ args: [id = ''], flags }, { environment, print }) =>
    withArchive(environment, async ({ context, config }) => {
      if (flags.has('keep') === flags.has('transfer')) throw new Failure('Add either --keep or --transfer.');
      const parsed = Id.safeParse(id.toLowerCase());
      const log = openOperatorLog(config.dataDir);
      const decision = {
        outcome: flags.has('keep') ? 'keep' : 'transfer',
        isImpostor: flags.has('impostor'),
        decidedBy: null,
      } as const;
      const isResolved =
        parsed.success &&
        (await context.db
          .transaction()
          .execute((tx) => resolveDispute(context, tx, parsed.data, decision))
          .catch(explainRefusal));
      if (!isResolved)
        throw new Failure(`There is no open dispute "${id}". To list the open disputes, run "claims disputes".`);
      recordAuditEvent(log, 'dispute resolved by the operator');
      print(`Dispute ${parsed.data} was resolved.`);
    }),
};

function explainRefusal(error: unknown): never {
  throw error instanceof ConfirmationRefused ? new Failure(error.message) : error;
}

const createDecided = (id: string) =>
  new Failure(`No claim "${id}" is waiting. To list the claims that wait, run "claims list".`);

/** Returns a claim that waits. @throws Failure when there is none */
async function requireClaim(db: Db, text: string): Promise<WaitingClaim> {
  const id = Id.safeParse(text.toLowerCase());
  const [claim] = id.success ? await findWaitingClaims(db, id.data) : [];
  if (!claim) throw createDecided(text);
  return claim;
}

/** Returns a roster entry. @throws Failure when there is none */
async function requireEntry(db: Db, matricNumber: string): Promise<number> {
  const id = await findEntryByMatricKey(db, toMatricKey(matricNumber));
  if (id === null) throw new Failure(`No entry on the roster has the matric number "${matricNumber}".`);
  return id;
}

/** Returns the value of a required option. @throws Failure when it is missing or too long */
function readText(value: string | undefined, option: string): string {
  const { data } = prose(fieldLengths.messageMax).safeParse(value);
  if (data === undefined) throw new Failure(`Add ${option}, at most ${fieldLengths.messageMax} characters.`);
  return data;
}

async function findHolderEmail(db: Db, entryId: number): Promise<string | null> {
  const holder = await findHolder(db, entryId);
  if (holder === null) return null;
  const row = await db.selectFrom('accounts').select('email').where('id', '=', holder).executeTakeFirst();
  return row?.email ?? null;
}

/** Why a dispute without another account is open. */
const causes = {
  mailbox: 'reported from the mailbox of the entry',
  import: 'none; an import changed the name or birth date of the entry',
  undo: 'none; the undo of an import changed the name or birth date of the entry',
  correction: 'none; a correction changed the name of the entry',
};

const formatDispute = ({ id, createdAt, text, ...sides }: OpenDispute): string[] => [
  `${id}  ${formatMinute(createdAt)}`,
  `  Holder    ${sides.holderEmail} (${joinOrNone(sides.holderEvidence)})`,
  `  Claimant  ${sides.claimantEmail === null ? causes[sides.entryChange ?? 'mailbox'] : `${sides.claimantEmail} (${joinOrNone(sides.claimantEvidence)})`}`,
  ...text
    .split('\n')
    .filter(Boolean)
    .map((line) => `  > ${line}`),
];
