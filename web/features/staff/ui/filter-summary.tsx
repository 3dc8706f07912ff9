import { Icon } from '#web/ui/icon.tsx';

/** Opens the form of a filter, and shows beside it what is chosen. */
export const FilterSummary = ({ chosen = '' }: { chosen?: string }) => (
  <summary className="flex w-fit max-w-full items-center gap-3 rounded-control text-sm">
    <span className="flex min-h-11 items-center gap-2 rounded-control border border-line-strong bg-raised px-3 font-semibold hover:bg-wash lg:min-h-9">
      <Icon name="sliders-horizontal" className="size-4.5 text-ink-soft" />
      Filter
    </span>
    <span className="min-w-0 truncate font-medium">{chosen}</span>
  </summary>
);
