import type { ReactNode } from 'react';
import { Link } from 'react-router';

interface Props {
  title: ReactNode;
  lead?: ReactNode;
  actions?: ReactNode;
  back?: { readonly to: string; readonly label: string };
}

/** On phones, the actions follow the lead. */
export function PageHeader({ title, lead, actions, back }: Props) {
  return (
    <div className="grid gap-1">
      {back && (
        <Link to={back.to} className="-ml-1 flex min-h-11 items-center justify-self-start px-1 text-sm lg:min-h-8">
          <span aria-hidden="true">←&nbsp;</span>
          <span className="link">{back.label}</span>
        </Link>
      )}
      <div className="grid gap-x-6 gap-y-1 lg:grid-cols-[minmax(0,1fr)_auto] lg:items-center">
        <h1 className="min-w-0 text-xl font-bold wrap-anywhere lg:text-2xl">{title}</h1>
        {lead !== undefined && <div className="max-w-[66ch] text-ink-soft">{lead}</div>}
        {Boolean(actions) && (
          <div className="flex flex-wrap gap-2 max-lg:mt-3 lg:col-start-2 lg:row-start-1">{actions}</div>
        )}
      </div>
    </div>
  );
}
