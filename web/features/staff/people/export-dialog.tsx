import { useState } from 'react';
import { useNavigate } from 'react-router';
import { formatPeople } from '#contract/counts.ts';
import { exportApprovalAbove } from '#contract/staff/values.ts';
import type { ExportColumn } from '#contract/staff/exports.ts';
import { exportColumns, exportFileHours, exportLabelOf } from '#contract/staff/people-values.ts';
import type { PeopleFilter } from '#contract/staff/people.ts';
import { callApi } from '#web/platform/api.ts';
import { reword } from '#web/platform/words.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx';
import { staffPath } from '../staff-paths.ts';
import { useRequest } from '../ui/use-request.ts';
import { useApprover } from '../use-rights.ts';
import { useActions } from '../use-actions.tsx';

const usualColumns: readonly ExportColumn[] = ['first-name', 'last-name', 'department', 'year-graduated', 'email'];

export function ExportDialog({ filter, onClose }: { filter: PeopleFilter; onClose: () => void }) {
  const navigate = useNavigate();
  const { run, dialog } = useActions();
  const approver = useApprover();
  const [chosen, setChosen] = useState(usualColumns);
  // The dialog is mounted for one filter.
  const [count, failure] = useRequest(null, () => callApi('GET /api/staff/exports/count', { query: filter }));
  const [isBusy, setIsBusy] = useState(false);

  async function request() {
    setIsBusy(true);
    await run(async () => {
      const { state } = await callApi('POST /api/staff/exports', { body: { filter, columns: [...chosen] } });
      await navigate(staffPath('people', 'exports'));
      return state === 'waiting' ? 'Approval requested. See it under Approvals' : 'Preparing the file';
    });
    setIsBusy(false);
  }

  return (
    <Dialog title="Export as CSV" onClose={onClose}>
      <p role="status">
        {failure ||
          (count === null
            ? 'Counting people...'
            : `${formatPeople(count.people)} ${count.people === 1 ? 'matches' : 'match'}. ${
                count.needsApproval
                  ? `Exports of more than ${exportApprovalAbove} people in 24 hours need the approval of ${approver}.`
                  : 'The file will be ready in a moment.'
              }`)}
      </p>
      <p className="text-sm text-ink-soft">
        The file contains only what members see of each person, so cells can be empty. Its last line identifies this
        export. It is deleted after {exportFileHours} hours. Each person can see that they were in an export.
      </p>
      <fieldset>
        <legend className="font-semibold">Columns</legend>
        <div className="mt-1 grid max-h-[40dvh] grid-cols-2 gap-x-4 overflow-y-auto">
          {exportColumns.map((column) => (
            <label key={column} className="flex min-h-11 items-center gap-2 lg:min-h-9">
              <input
                type="checkbox"
                className="size-5 shrink-0 accent-brand"
                checked={chosen.includes(column)}
                onChange={({ currentTarget: { checked } }) =>
                  setChosen(checked ? [...chosen, column] : chosen.filter((one) => one !== column))
                }
              />
              {reword(exportLabelOf(column))}
            </label>
          ))}
        </div>
      </fieldset>
      <DialogButtons onCancel={onClose}>
        <Button
          disabled={!count?.people || chosen.length === 0}
          busy={isBusy && 'Please wait...'}
          onClick={() => void request()}
        >
          {count?.needsApproval ? 'Request approval' : 'Export'}
        </Button>
      </DialogButtons>
      {dialog}
    </Dialog>
  );
}
