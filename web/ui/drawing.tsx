import drawings from './drawings.svg?url&no-inline';

interface Props {
  name: 'rock' | 'hall' | 'bus' | 'gown';
  className?: string;
}

export const Drawing = ({ name, className = 'h-24 w-40' }: Props) => (
  <svg viewBox="0 0 160 96" className={className} aria-hidden="true">
    <use href={`${drawings}#${name}`} />
  </svg>
);
