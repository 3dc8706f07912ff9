import { useState } from 'react';
import type { ContentKind, ReportResult } from '#contract/report-values.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { ReportForm } from './report-form.tsx';

interface Props {
  kind: ContentKind;
  id: string;
  title: string;
  /** @param result null if nothing was sent */
  onClose: (result: ReportResult | null) => void;
}

export default function ReportDialog({ kind, id, title, onClose }: Props) {
  const [result, setResult] = useState<ReportResult | null>(null);
  const close = () => onClose(result);
  return (
    <Dialog title="Report a problem" onClose={close}>
      <p className="wrap-anywhere text-ink-soft">{title}</p>
      <ReportForm
        kind={kind}
        id={id}
        onSent={setResult}
        cancel={
          <Button variant="quiet" onClick={close}>
            Cancel
          </Button>
        }
        done={
          <Button className="justify-self-end" onClick={close}>
            Close
          </Button>
        }
      />
    </Dialog>
  );
}
