import { Dialog } from '#web/ui/dialog.tsx';
import { FilterForm } from './filter-form.tsx';
import type { DirectoryView } from './filters.ts';

export default function FilterDialog(props: { onClose: () => void; view: DirectoryView; count: number }) {
  return (
    <Dialog onClose={props.onClose} title="Filters" shape="sheet">
      <FilterForm {...props} />
    </Dialog>
  );
}
