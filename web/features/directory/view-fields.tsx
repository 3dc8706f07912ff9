import { toViewParams } from './filters.ts';

export const ViewFields = ({ view }: { view: Parameters<typeof toViewParams>[0] }) =>
  [...toViewParams(view)].map(([name, value]) => <input key={name} type="hidden" name={name} value={value} />);
