import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { formatCount } from '#contract/counts.ts';
import type { RosterImport } from '#contract/roster.ts';
import { usePasswordConfirmation } from '#web/domain/password-dialog.tsx';
import { callApi } from '#web/platform/api.ts';
import { formatDate } from '#web/ui/day.tsx';
import { FetchFailure } from '#web/ui/fetch-failure.tsx';
import { toast } from '#web/ui/toasts.ts';
import { ConfirmButton } from '../ui/confirm-dialog.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Section } from '../ui/section.tsx';
import { staffPath } from '../staff-paths.ts';
import { CheckResult } from './check-result.tsx';
import { ClosedImport } from './closed-import.tsx';
import { encodingNames, isOpen, kindNames, stateNames, stepTexts } from './import-labels.ts';
import { PlannedChanges } from './planned-changes.tsx';
import { Progress } from './progress.tsx';
import { SettingsForm } from './settings-form.tsx';
import { SheetQuestion } from './sheet-choice.tsx';
import { useImport } from './use-import.ts';
import { Time } from '../ui/time.tsx';
import { useApprover } from '../use-rights.ts';

export function ImportPage({ loaded, departments }: { loaded: RosterImport; departments: readonly string[] }) {
  const { one, file, isOffline, hasRun, refresh } = useImport(loaded);
  const { runWithPassword, dialog } = usePasswordConfirmation();
  const params = { id: String(one.id) };
  const asksSheets = isOpen(one) && file !== null && file.kind === 'xlsx' && file.chosenSheets.length === 0;
  const isChecked = one.state === 'checked' && one.step === null;

  const action = async (step: 'apply' | 'undo', confirmed: string[] = []) =>
    runWithPassword(async () => {
      const { result } =
        step === 'undo'
          ? await callApi('POST /api/staff/roster/imports/{id}/undo', { params })
          : await callApi('POST /api/staff/roster/imports/{id}/apply', {
              params,
              body: { checkedAt: one.checkedAt ?? '', confirmed },
            });
      if (result === 'requested') toast('success', 'Approval requested. See it under Approvals');
      await refresh();
    });

  return (
    <>
      <PageHeader
        title={one.fileName}
        back={{ to: staffPath('roster'), label: 'Roster imports' }}
        lead={
          <>
            {stateNames[one.state]}
            {file && ` · ${kindNames[file.kind]}`}
            {file && !asksSheets && `, ${formatCount(file.rowCount)} rows`}
            {file && file.sheets.length > 1 && !asksSheets && ` of ${file.chosenSheets.join(', ')}`}
            {file?.encoding && `, ${encodingNames[file.encoding] ?? file.encoding}`} · uploaded on{' '}
            {formatDate(one.createdAt)}
          </>
        }
        actions={
          isOpen(one) && (
            <ConfirmButton
              label="Discard import"
              title="Discard this import?"
              action="Discard import"
              busy="Discarding..."
              onConfirm={async () => {
                await callApi('POST /api/staff/roster/imports/{id}/cancel', { params });
                await refresh();
              }}
            >
              <p>The uploaded file is deleted. The roster stays as it is.</p>
            </ConfirmButton>
          )
        }
      />
      {isOffline && <FetchFailure onRetry={() => void refresh()} />}
      {one.step !== null && <Progress label={stepTexts[one.step]} percent={one.progress} />}
      {one.step !== null && (
        <p className="max-w-[66ch] text-sm text-ink-soft">
          This continues if you close the page. You can find the import again under Roster imports.
        </p>
      )}
      {one.failure !== '' && (
        <p role="alert" className="max-w-[66ch] rounded-control bg-danger-soft px-4 py-3 text-danger">
          {one.failure}
        </p>
      )}
      {one.approval && <Approval approval={one.approval} />}
      {!isOpen(one) && <ClosedImport one={one} onUndo={() => action('undo')} />}
      {isChecked && (
        <CheckResult
          key={one.checkedAt}
          one={one}
          takesFocus={hasRun}
          onApply={(confirmed) => action('apply', confirmed)}
        />
      )}
      {isChecked && one.counts && (
        <PlannedChanges key={`changes ${one.checkedAt}`} id={params.id} counts={one.counts} />
      )}
      {file && asksSheets && (
        <SheetQuestion id={params.id} file={file} isRunning={one.step !== null} onSaved={refresh} />
      )}
      {isOpen(one) && !one.approval && file && !asksSheets && (
        <Foldable isFolded={isChecked} key={String(isChecked)}>
          <SettingsForm
            key={JSON.stringify([
              file.encoding,
              file.delimiter,
              file.chosenSheets,
              file.headerLine,
              file.columns.length,
            ])}
            one={one}
            file={file}
            departments={departments}
            onSaved={refresh}
          />
        </Foldable>
      )}
      {dialog}
    </>
  );
}

const Foldable = ({ isFolded, children }: { isFolded: boolean; children: ReactNode }) =>
  isFolded ? (
    <details className="border-t border-line">
      <summary className="flex min-h-11 items-center py-3 font-semibold text-brand">
        Change how the file is read, and compare it again
      </summary>
      <div className="grid gap-8 pt-4">{children}</div>
    </details>
  ) : (
    <div className="grid gap-8">{children}</div>
  );

function Approval({ approval }: { approval: NonNullable<RosterImport['approval']> }) {
  const { step, requestedBy, requestedAt, runsAt } = approval;
  const approver = useApprover();
  return (
    <Section heading="Waiting for approval">
      <p className="max-w-[66ch]">
        {requestedBy ?? 'A member of staff'} requested approval on <Time of={requestedAt} /> to{' '}
        {step === 'apply' ? 'apply this import' : 'undo this import'}.{' '}
        {runsAt === null ? (
          `It starts when ${approver} approves it.`
        ) : (
          <>
            No one else can approve it, so it starts on <Time of={runsAt} /> unless it is cancelled.
          </>
        )}{' '}
        This page then shows the result.{' '}
        <Link to={staffPath('approvals')} className="link">
          See approvals
        </Link>
      </p>
    </Section>
  );
}
