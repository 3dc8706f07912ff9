import { useState } from 'react';
import { Link, useRevalidator } from 'react-router';
import { fieldLengths } from '#contract/field-lengths.ts';
import type { EntryFile } from '#contract/staff/entries.ts';
import { callApi } from '#web/platform/api.ts';
import { reword } from '#web/platform/words.ts';
import { Button } from '#web/ui/button.tsx';
import { Day } from '#web/ui/day.tsx';
import { TextArea } from '#web/ui/field.tsx';
import { CorrectionDialog } from '../corrections/correction-dialog.tsx';
import { keyOf } from '../review/review-items.ts';
import { type CodeSheet, SavedSheet, toCodeSheet } from '../roster/code-sheet.tsx';
import { staffPath } from '../staff-paths.ts';
import { Definition, Definitions } from '../ui/definitions.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Section } from '../ui/section.tsx';
import type { KeptTexts } from '../ui/use-kept-texts.ts';
import { StatusPill } from '../ui/status-pill.tsx';
import { ActionDialog } from './action-dialog.tsx';
import { entryClassOf, entryMarkLabels, entryNameOf, entryStatusLabels } from './people-labels.ts';
import { useActions } from '../use-actions.tsx';

export interface EntryData {
  readonly kind: 'entry';
  readonly entry: EntryFile;
}

export function Entry({ entry }: { entry: EntryFile }) {
  const { program, status, marks, account, hasAccount, codes, claims } = entry;
  return (
    <>
      <PageHeader
        back={{ to: staffPath('people'), label: 'People' }}
        title={entryNameOf(entry)}
        lead={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="nums">{entryClassOf(entry)}</span>
            {marks.map((mark) => (
              <StatusPill key={mark}>{entryMarkLabels[mark]}</StatusPill>
            ))}
          </span>
        }
      />
      <div className="with-aside">
        <div className="grid content-start gap-8">
          <Section heading="On the roster">
            <Definitions>
              <Definition term="Account">
                {account ? (
                  <Link to={staffPath('people', account.id)} className="link">
                    {account.name}
                  </Link>
                ) : hasAccount ? (
                  'In another part of the institution'
                ) : (
                  'None'
                )}
              </Definition>
              <Definition term="Status">{entryStatusLabels[status]}</Definition>
              <Definition term="Program">{program}</Definition>
            </Definitions>
          </Section>
          <Section heading="Printed codes">
            {codes.length === 0 && <p className="text-sm text-ink-soft">None.</p>}
            <ul className="grid gap-2 empty:hidden">
              {codes.map(({ createdAt, expiresAt, usedAt }) => (
                <li key={createdAt}>
                  Created on <Day of={createdAt} />, {usedAt === null ? 'valid until ' : 'used on '}
                  <Day of={usedAt ?? expiresAt} />
                </li>
              ))}
            </ul>
          </Section>
          <Section heading="Pending claims" hint="Claims that name this matric number.">
            {claims.length === 0 && <p className="text-sm text-ink-soft">None.</p>}
            <ul className="grid gap-2 empty:hidden">
              {claims.map(({ id, name, createdAt }) => (
                <li key={id} className="wrap-anywhere">
                  <Link to={staffPath('review', keyOf({ kind: 'claim', id }))} className="link">
                    {name}
                  </Link>
                  , waiting since <Day of={createdAt} />
                </li>
              ))}
            </ul>
          </Section>
        </div>
        <Actions entry={entry} />
      </div>
    </>
  );
}

type Action = 'print' | 'link' | 'correct' | 'death';

const actionLabels: Record<Action, string> = {
  print: 'Print a code for this person',
  link: 'Link to an account',
  correct: 'Propose a correction',
  death: 'Has died',
};

function Actions({ entry }: { entry: EntryFile }) {
  const { id, canPrint, canLink, canCorrect, candidates, department, yearGraduated } = entry;
  const { run, dialog } = useActions();
  const { revalidate } = useRevalidator();
  const [open, setOpen] = useState<Action | null>(null);
  const [sheet, setSheet] = useState<CodeSheet | null>(null);
  const [kept] = useState<KeptTexts>(() => new Map());
  const close = () => setOpen(null);
  const hasCandidates = candidates.length > 0;
  const isPossible = { print: canPrint, link: canLink && hasCandidates, correct: canCorrect, death: canCorrect };
  const actions = (Object.keys(actionLabels) as Action[]).filter((action) => isPossible[action]);

  const print = async () => {
    setSheet(toCodeSheet(await callApi('POST /api/staff/roster/codes', { body: { entryId: id } })));
    return 'The code was created';
  };
  const link = async (text: (field: string) => string) => {
    const body = { accountId: text('account'), seen: text('seen') };
    await callApi('POST /api/staff/roster/entries/{id}/link', { params: { id }, body });
    return 'The account is confirmed as this entry';
  };

  return (
    <Section heading="Actions" hint={actions.length === 0 && !canLink ? 'None is possible.' : undefined}>
      {sheet && <SavedSheet sheet={sheet} />}
      <ul className="grid gap-2 empty:hidden">
        {actions.map((action) => (
          <li key={action}>
            <Button variant="quiet" className="w-full" onClick={() => setOpen(action)}>
              {actionLabels[action]}
            </Button>
          </li>
        ))}
      </ul>
      {canLink && !hasCandidates && (
        <p className="text-sm text-ink-soft">
          No account has this matric number, address or name. To link one, ask the person to sign up, or to correct the
          profile.
        </p>
      )}
      {open === 'print' && (
        <ActionDialog
          title="Print a code for this person?"
          action="Create the code"
          onClose={close}
          onSubmit={() => run(print, close)}
        >
          <EntryLine entry={entry} />
          <p>
            The new code replaces an unused one of this person. Codes of other people stay valid. It confirms the
            account that uses it, so hand the slip to this person only.
          </p>
        </ActionDialog>
      )}
      {open === 'link' && (
        <ActionDialog
          title="Link to an account"
          kept={kept}
          action="Confirm the account"
          onClose={close}
          onSubmit={(text) => run(() => link(text), close)}
        >
          <EntryLine entry={entry} />
          <LinkFields entry={entry} />
        </ActionDialog>
      )}
      {(open === 'correct' || open === 'death') && (
        <CorrectionDialog
          entry={entry}
          department={department}
          year={yearGraduated}
          kept={kept}
          initialReason={open === 'death' ? 'deceased' : 'wrong-name'}
          onClose={close}
          onProposed={async () => {
            close();
            await revalidate();
          }}
        />
      )}
      {dialog}
    </Section>
  );
}

const EntryLine = ({ entry }: { entry: EntryFile }) => (
  <p className="wrap-anywhere">
    <strong>{entryNameOf(entry)}</strong> <span className="nums text-ink-soft">{entryClassOf(entry)}</span>
  </p>
);

const LinkFields = ({ entry: { candidates } }: { entry: EntryFile }) => (
  <>
    <p className="text-sm text-ink-soft">
      The account is confirmed as this entry, and its profile takes the matric number, {reword('department')} and years
      of the roster. If it has another entry, the profile stays as it is, and this entry is a further degree. See the
      person or a document first: the name proves nothing.
    </p>
    <fieldset>
      <legend className="sr-only">Account</legend>
      {candidates.map(({ id, name, email, department, yearGraduated, hasSameName, hasEntry }) => (
        <label key={id} className="flex min-h-11 items-center gap-3 py-1">
          <input type="radio" name="account" value={id} required className="size-5 shrink-0 accent-brand" />
          <span className="min-w-0 wrap-anywhere">
            {name}
            <span className="nums block text-sm text-ink-soft">
              {[
                email,
                department,
                yearGraduated,
                !hasSameName && 'other name than on the roster',
                hasEntry && 'has another entry',
              ]
                .filter(Boolean)
                .join(' · ')}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
    <TextArea
      label="What did you see?"
      hint="For example “Certificate”. Write no birth date or document number."
      name="seen"
      rows={2}
      required
      maxLength={fieldLengths.messageMax}
    />
  </>
);
