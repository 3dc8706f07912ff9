import scene from './campus-scene.svg?url&no-inline';

/**
 * Decorative, in the institution's colours. Its parts are in the right half, so that a wide screen has space for text
 * and a narrow one still shows them.
 */
export function CampusScene({ className }: { className: string }) {
  return (
    <svg viewBox="0 0 1440 900" preserveAspectRatio="xMaxYMax slice" className={className} aria-hidden="true">
      <use href={`${scene}#campus`} />
      <use href={`${scene}#caps`} className="max-lg:hidden" />
    </svg>
  );
}
