import type { ReactNode } from 'react';
import { Link } from 'react-router';

interface Props {
  title: ReactNode;
  lead?: ReactNode;
  actions?: ReactNode;
  back?: { readonly to: string; readonly label: string };
}

export function PageHeader({ title, lead, actions, back }: Props) {
  return (
    <div className="grid gap-1">
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
      {/* At the left, because toasts cover the right. */}
      {Boolean(actions) && <div className="mt-3 flex flex-wrap gap-2">{actions}</div>}
    </div>
  );
}
