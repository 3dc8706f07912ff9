import type { Card } from '#contract/directory.ts';
import { initials, tintOf } from './people.ts';

interface Props {
  card: Pick<Card, 'name' | 'thumb'>;
  /** At most 64 px wide. */
  isSmall?: boolean;
  isFirst?: boolean;
  className?: string;
}

/** Decorative: the name is beside it. */
export function Portrait({ card: { name, thumb }, isSmall = false, isFirst = false, className = 'text-3xl' }: Props) {
  if (thumb === null)
    return (
      <span
        aria-hidden="true"
        className={`tint tint-${tintOf(name)} grid aspect-[4/5] place-items-center font-bold print-shape ${className}`}
      >
        {initials(name)}
      </span>
    );
  const at = (width: number) => thumb.replace('/192.', `/${width}.`);
  const width = isSmall ? 96 : 192;
  // The size is set on the box and not on the picture, because a broken picture outside the viewport would be measured
  // with a height of 0.
  return (
    <span className="portrait print-shape">
      <img
        src={at(width)}
        srcSet={`${at(width)} ${width}w, ${at(width * 2)} ${width * 2}w`}
        // Phones load the smaller picture (decision 84).
        sizes={isSmall ? '(min-width: 40rem) 64px, 48px' : '(min-width: 40rem) 11rem, 96px'}
        alt=""
        loading={isFirst ? 'eager' : 'lazy'}
        decoding="async"
      />
    </span>
  );
}
