import drawings from './drawings.svg?url&no-inline';

export function Drawing({ name }: { name: 'rock' | 'hall' | 'bus' | 'gown' }) {
  return (
    <svg viewBox="0 0 160 96" className="h-24 w-40" aria-hidden="true">
      <use href={`${drawings}#${name}`} />
    </svg>
  );
}
