import { useState } from 'react';
import { useRevalidator } from 'react-router';
import { type Call, toWireRequest } from '#contract/call.ts';
import type { ClassEntry } from '#contract/staff/corrections.ts';
import { throwNotFound } from '#web/platform/route-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Day } from '#web/ui/day.tsx';
import { entryNameOf } from '../people/people-labels.ts';
import { useActions } from '../use-actions.tsx';
import { staffPath } from '../staff-paths.ts';
import { downloadFile } from '../ui/download-file.ts';
import { PageHeader } from '../ui/page-header.tsx';
import { Row, Rows } from '../ui/rows.tsx';
import { Section } from '../ui/section.tsx';
import { StatusPill } from '../ui/status-pill.tsx';
import type { KeptTexts } from '../ui/use-kept-texts.ts';
import { useRights } from '../use-rights.ts';
import { CorrectionDialog } from './correction-dialog.tsx';
import { correctionNames } from './correction-labels.ts';

export const classPath = (department: string, year: number): string => staffPath('coverage', `${year} ${department}`);

/** @param id the year and the department of the path */
export async function loadClass(call: Call, id: string) {
  const [, year = '', department = ''] = /^(\d{4}) (.+)$/u.exec(id) ?? throwNotFound();
  const [{ entries, hasMore }, { corrections }] = await Promise.all([
    call('GET /api/staff/classes', { query: { department, year: Number(year) } }),
    call('GET /api/staff/corrections'),
  ]);
  return { department, year: Number(year), entries, hasMore, corrections };
}

export function ClassPage({ of }: { of: Awaited<ReturnType<typeof loadClass>> }) {
  const { department, year, entries, hasMore, corrections } = of;
  const { revalidate } = useRevalidator();
  const canCall = useRights().includes('call-lists');
  const { run, dialog } = useActions();
  const { url } = toWireRequest('GET /api/staff/classes/call-list', { query: { department, year } });
  const [chosen, setChosen] = useState<ClassEntry | null>(null);
  const [kept] = useState<KeptTexts>(() => new Map());
  const withAccount = entries.filter(({ hasAccount }) => hasAccount).length;
  return (
    <>
      <PageHeader
        back={{ to: staffPath('coverage'), label: 'Coverage' }}
        title={`${department}, class of ${year}`}
        lead={`${entries.length}${hasMore ? ' or more' : ''} people on the roster, ${withAccount} of them with an account. People whose data the registrar keeps confidential are not listed.`}
        actions={
          canCall && (
            <Button variant="quiet" onClick={() => run(() => downloadFile(url, `call-list-${year}.csv`))}>
              Download the call list
            </Button>
          )
        }
      />
      <Rows label={`People of ${department}, ${year}`} hasButtons>
        {entries.map((entry) => (
          <Row
            key={entry.id}
            title={entryNameOf(entry)}
            aside={
              <>
                {entry.hasCorrection && <StatusPill>Correction proposed</StatusPill>}
                {entry.hasAccount ? 'Has an account' : 'No account'}
                <Button variant="bare" onClick={() => setChosen(entry)}>
                  Propose a correction<span className="sr-only"> for {entryNameOf(entry)}</span>
                </Button>
              </>
            }
          />
        ))}
      </Rows>
      {hasMore && <p className="text-sm text-ink-soft">Only the first {entries.length} are shown.</p>}
      {corrections.length > 0 && (
        <Section heading="Your corrections" hint="A registrar decides about each correction.">
          <Rows>
            {corrections.map(({ id, name, reason, createdAt, outcome, answer }) => (
              <Row
                key={id}
                title={name ?? 'A person of another class'}
                detail={
                  <>
                    {correctionNames[reason]} · <Day of={createdAt} />
                    {answer !== '' && ` · “${answer}”`}
                  </>
                }
                aside={
                  outcome === null ? <StatusPill>Waiting</StatusPill> : outcome === 'accept' ? 'Accepted' : 'Refused'
                }
              />
            ))}
          </Rows>
        </Section>
      )}
      {chosen && (
        <CorrectionDialog
          entry={chosen}
          department={department}
          year={year}
          kept={kept}
          onClose={() => setChosen(null)}
          onProposed={async () => {
            setChosen(null);
            await revalidate();
          }}
        />
      )}
      {dialog}
    </>
  );
}
