import type { IconName } from './icon-names.ts';
import sprite from './icons.svg?url&no-inline';

/** An icon in the colour of the text around it. It always stands beside words, so it says nothing itself. */
export function Icon({ name, className = 'size-5' }: { name: IconName; className?: string }) {
  return (
    <svg
      className={className}
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <use href={`${sprite}#${name}`} />
    </svg>
  );
}
