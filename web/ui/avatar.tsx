/** Decorative, because the name is always beside it. */
export function Avatar({ src, name, letters, tint, className = 'size-10 text-sm' }: AvatarProps) {
  if (src)
    return (
      <img
        src={src}
        alt=""
        className={`rounded-full bg-line object-cover object-[50%_25%] ${className}`}
        decoding="async"
      />
    );
  return (
    <span
      aria-hidden="true"
      title={name}
      className={`tint tint-${tint} grid place-items-center rounded-full font-semibold ${className}`}
    >
      {letters}
    </span>
  );
}

interface AvatarProps {
  src: string | null;
  name?: string;
  letters: string;
  tint: number;
  className?: string;
}
