import type { ReactNode } from 'react';
import { Link } from 'react-router';

interface Props {
  title: ReactNode;
  lead?: ReactNode;
  actions?: ReactNode;
  back?: { readonly to: string; readonly label: string };
}

export function PageHeader({ title, lead, actions, back }: Props) {
  // With a back link, the title is lower, and toasts would cover actions beside it.
  const hasActionsBesideTitle = Boolean(actions) && !back;
  return (
    <div className={`grid gap-1 ${hasActionsBesideTitle ? 'lg:grid-cols-[minmax(0,1fr)_auto] lg:gap-x-8' : ''}`}>
      {back && (
        <Link
          to={back.to}
          className="-ml-1 flex min-h-11 items-center justify-self-start px-1 text-sm lg:min-h-8 print:hidden"
        >
          <span aria-hidden="true">←&nbsp;</span>
          <span className="link">{back.label}</span>
        </Link>
      )}
      <h1 className="text-xl font-bold wrap-break-word lg:text-2xl">{title}</h1>
      {lead !== undefined && <div className="max-w-[46ch] text-pretty text-ink-soft">{lead}</div>}
      {Boolean(actions) && (
        <div
          className={`flex flex-wrap gap-2 ${hasActionsBesideTitle ? 'max-lg:mt-3 lg:col-start-2 lg:row-start-1 lg:-my-1 lg:justify-end' : 'mt-3'}`}
        >
          {actions}
        </div>
      )}
    </div>
  );
}
