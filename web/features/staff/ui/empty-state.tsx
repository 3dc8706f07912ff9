import type { ComponentProps, ReactNode } from 'react';
import { Drawing } from '#web/ui/drawing.tsx';

interface Props {
  drawing: ComponentProps<typeof Drawing>['name'];
  title: string;
  children?: ReactNode;
}

export const EmptyState = ({ drawing, title, children }: Props) => (
  <div className="grid justify-items-center gap-2 px-4 py-10 text-center">
    <Drawing name={drawing} />
    <p className="text-lg font-semibold">{title}</p>
    {children !== undefined && <div className="max-w-[44ch] text-balance text-ink-soft">{children}</div>}
  </div>
);
