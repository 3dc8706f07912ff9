import type { ReactNode } from 'react';

interface Props {
  busy: boolean;
  onMore: () => void;
  children: ReactNode;
}

export const MoreButton = ({ busy, onMore, children }: Props) => (
  <button
    type="button"
    // Not `disabled` while it loads, because a disabled button loses the focus.
    aria-disabled={busy}
    onClick={busy ? undefined : onMore}
    className="min-h-11 rounded-control border border-line-strong bg-raised px-3 font-semibold hover:bg-wash aria-disabled:opacity-60"
  >
    {busy ? 'Loading...' : children}
  </button>
);
