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
  <div className="my-4 grid items-center justify-items-start gap-x-10 gap-y-3 border-t border-line py-6 sm:grid-cols-[auto_1fr]">
    <Drawing name={drawing} />
    <div className="grid justify-items-start gap-2">
      <p className="text-lg font-semibold lg:text-xl">{title}</p>
      {children !== undefined && <div className="max-w-[60ch] text-ink-soft">{children}</div>}
      {action !== undefined && <div className="mt-2">{action}</div>}
    </div>
  </div>
);
