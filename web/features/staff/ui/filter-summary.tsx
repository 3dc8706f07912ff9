import { Icon } from '#web/ui/icon.tsx';

/** Opens the form of a filter. On wide screens it is in the upper right corner of the next `relative` element. */
export const FilterSummary = () => (
  <summary className="flex w-fit min-h-11 items-center gap-2 rounded-control border border-line-strong bg-raised px-3 text-sm font-semibold hover:bg-wash lg:absolute lg:top-0 lg:right-0 lg:min-h-9">
    <Icon name="sliders-horizontal" className="size-4.5 text-ink-soft" />
    Filter
  </summary>
);
