import { toViewParams } from './filters.ts';

/** Renders the URL parameters of a view as hidden inputs of a GET form. */
export const ViewFields = ({ view }: { view: Parameters<typeof toViewParams>[0] }) =>
  [...toViewParams(view)].map(([name, value]) => <input key={name} type="hidden" name={name} value={value} />);
