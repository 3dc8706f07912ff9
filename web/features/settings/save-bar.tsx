import { useScrollFieldsIntoView } from '#web/platform/use-scroll-fields-into-view.ts';
import { Button } from '#web/ui/button.tsx';
import { FieldError } from '#web/ui/field.tsx';

interface Props {
  changes: number;
  isSaving: boolean;
  error: string | null;
  onDiscard: () => void;
}

export function SaveBar({ changes, isSaving, error, onDiscard }: Props) {
  const hasChanges = changes > 0;
  useScrollFieldsIntoView();
  return (
    <div
      className={`z-10 -mx-4 flex flex-wrap items-center gap-3 border-t border-line bg-surface px-4 py-3 lg:mx-0 md:max-lg:pl-60 lg:px-0 2xl:pl-76 ${hasChanges || error !== null ? 'sticky bottom-(--bar)' : ''}`}
    >
      <p role="status" className={hasChanges ? 'mr-auto font-semibold nums' : 'sr-only'}>
        {hasChanges && `${changes} ${changes === 1 ? 'change' : 'changes'}`}
      </p>
      {hasChanges && (
        <Button variant="quiet" disabled={isSaving} onClick={onDiscard}>
          Discard
        </Button>
      )}
      <Button type="submit" data-save className="min-w-28" busy={isSaving && 'Saving...'}>
        Save
      </Button>
      {error !== null && (
        <div role="alert" className="order-first basis-full pb-1">
          <FieldError>{error}</FieldError>
        </div>
      )}
    </div>
  );
}
