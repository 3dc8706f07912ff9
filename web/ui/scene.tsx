import type { ComponentProps, ReactNode } from 'react';
import { Drawing } from './drawing.tsx';

/** The top of an error page: a drawing whose ground is a line over the width of the text. */
export const Scene = ({
  drawing,
  children,
}: {
  drawing: ComponentProps<typeof Drawing>['name'];
  children?: ReactNode;
}) => (
  <div className="flex w-full max-w-2xl items-end justify-between border-b-2 border-ink-soft lg:border-b-3">
    {children}
    {/* The border replaces the ground of the drawing, which begins at 83 of its 96 units. */}
    <Drawing name={drawing} className="-mb-[3.3%] w-2/5 [clip-path:inset(0_0_13.6%)]" />
  </div>
);
