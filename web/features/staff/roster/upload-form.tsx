import { type SubmitEvent, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { maxRosterBytes } from '#contract/roster-values.ts';
import { messageOf } from '#web/domain/messages.ts';
import { usePasswordConfirmation } from '#web/domain/password-dialog.tsx';
import { Button } from '#web/ui/button.tsx';
import { staffPath } from '../staff-paths.ts';
import { DropZone } from './drop-zone.tsx';
import { Progress } from './progress.tsx';
import { uploadFile } from './upload-file.ts';

export function UploadForm() {
  const navigate = useNavigate();
  const [chosen, setChosen] = useState<File | null>(null);
  const [share, setShare] = useState<number | null>(null);
  const [failure, setFailure] = useState('');
  const { runWithPassword, dialog } = usePasswordConfirmation();
  const abort = useRef<AbortController>(null);

  async function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const input = event.currentTarget.querySelector<HTMLInputElement>('input[type=file]');
    const file = input?.files?.[0];
    const problem = !file
      ? 'Choose a file first.'
      : file.size > maxRosterBytes
        ? 'The file is larger than 100 MB. Export only the columns that the archive needs, or ask the operator to import it on the server.'
        : '';
    setFailure(problem);
    if (!file || problem) return input?.focus();
    await runWithPassword(
      async () => {
        abort.current = new AbortController();
        setShare(0);
        try {
          const { id } = await uploadFile(file, { onProgress: setShare, signal: abort.current.signal });
          await navigate(staffPath('roster', String(id)));
        } finally {
          setShare(null);
        }
      },
      ({ detail, ...rest }) => {
        if (!abort.current?.signal.aborted) setFailure(detail ?? messageOf(rest));
      },
    );
  }

  return (
    <>
      <form className="grid max-w-3xl gap-4" noValidate onSubmit={submit}>
        <DropZone
          label="The registrar’s list"
          hint="CSV, Excel (.xlsx) or OneRoster, up to 100 MB. The roster does not change until you have checked the result and applied it."
          accept=".csv,.txt,.tsv,.xlsx,.zip"
          error={failure}
          isDisabled={share !== null}
          file={chosen}
          onFile={setChosen}
        />
        {share !== null && <Progress label={share < 1 ? 'Uploading' : 'Storing the file'} percent={share * 100} />}
        <div className="flex flex-wrap gap-3">
          <Button type="submit" busy={share !== null && 'Uploading...'}>
            Upload
          </Button>
          {share !== null && (
            <Button variant="quiet" onClick={() => abort.current?.abort()}>
              Cancel
            </Button>
          )}
        </div>
      </form>
      {dialog}
    </>
  );
}
