import { type ReactNode, useState } from 'react';
import { Link, useNavigate, useRevalidator } from 'react-router';
import type { ClosedItem, ReviewItem } from '#contract/staff/review.ts';
import { callApi } from '#web/platform/api.ts';
import { Button } from '#web/ui/button.tsx';
import { Day } from '#web/ui/day.tsx';
import { TextArea } from '#web/ui/field.tsx';
import { toast } from '#web/ui/toasts.ts';
import { staffPath } from '../staff-paths.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { keyOf, nameOf, outcomeLabelOf } from './review-items.ts';

interface Props {
  item: ReviewItem;
  closed: ClosedItem;
  takeBack: ReactNode;
  /** Loads the decided item again, which links the new one. */
  onReopened: () => void;
}

export function ClosedItemNotice({ item, closed, takeBack, onReopened }: Props) {
  const [isAsking, setIsAsking] = useState(false);
  const [reason, setReason] = useState('');
  const { kind } = item;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <p className="min-w-0 grow basis-48 wrap-anywhere">
        {closed.text !== '' && <>Answer: “{closed.text}” </>}
        {closed.reopenedAs === null && takeBack}
      </p>
      {closed.reopenedAs !== null ? (
        <Link to={staffPath('review', keyOf({ kind, id: closed.reopenedAs }))} className="link">
          Reopened: see the new decision
        </Link>
      ) : (
        !takeBack && (
          <Button variant="quiet" className="needs-scripts" onClick={() => setIsAsking(true)}>
            Reopen
          </Button>
        )
      )}
      {isAsking && (
        <ReopenDialog
          item={item}
          reason={reason}
          setReason={setReason}
          onClose={() => setIsAsking(false)}
          onReopened={onReopened}
        />
      )}
    </div>
  );
}

export const ClosedLine = ({
  kind,
  closed: { at, outcome, by },
}: Pick<ReviewItem, 'kind'> & { closed: ClosedItem }) => (
  <>
    {outcomeLabelOf(kind, outcome)} on <Day of={at} />
    {by !== null && ` by ${by}`}
  </>
);

interface DialogProps extends Pick<Props, 'item' | 'onReopened'> {
  reason: string;
  setReason: (reason: string) => void;
  onClose: () => void;
}

function ReopenDialog({ item: { kind, id, name, about }, reason, setReason, onClose, onReopened }: DialogProps) {
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();
  return (
    <ConfirmDialog
      title="Reopen this item?"
      action="Reopen"
      busy="Reopening..."
      variant="strong"
      onClose={onClose}
      onConfirm={async () => {
        const opened = await callApi('POST /api/staff/queue/{kind}/{id}/reopen', {
          params: { kind, id },
          body: { reason },
        });
        onReopened();
        onClose();
        await navigate(staffPath('review', keyOf({ kind, id: opened.id })));
        await revalidate();
        toast('success', 'Reopened: the item waits for a decision again');
      }}
    >
      <p className="wrap-anywhere">
        <strong>{nameOf({ name })}</strong> <span className="text-ink-soft">{about}</span>
      </p>
      <p>
        The item returns to the review queue as a new one. What the decision has done stays until the next decision, and
        the earlier decision stays in the history.
      </p>
      <TextArea
        label="Reason, for other staff"
        rows={3}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </ConfirmDialog>
  );
}
