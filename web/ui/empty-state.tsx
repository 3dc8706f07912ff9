import type { ComponentProps, ReactNode } from 'react';
import { Drawing } from './drawing.tsx';

interface Props {
  drawing: ComponentProps<typeof Drawing>['name'];
  title: string;
  /** A button or a link. */
  action?: ReactNode;
  children?: ReactNode;
}

export const EmptyState = ({ drawing, title, action, children }: Props) => (
  <div className="grid justify-items-start gap-2 py-6">
    <Drawing name={drawing} />
    <p className="text-lg font-semibold">{title}</p>
    {children !== undefined && <div className="max-w-[60ch] text-ink-soft">{children}</div>}
    {action !== undefined && <div className="mt-2">{action}</div>}
  </div>
);
