import type { IconName } from './icon-names.ts';
import sprite from './icons.svg?url&no-inline';

/** Screen readers skip the icon, because a label is always beside it. */
export function Icon({ name, className = 'size-5' }: { name: IconName; className?: string }) {
  return (
    <svg className={className} fill="none" aria-hidden="true">
      <use href={`${sprite}#${name}`} />
    </svg>
  );
}
