import { Avatar } from '../ui/avatar.tsx';
import { initials, tintOf } from './people.ts';

/** Somebody's round portrait; without one, their initials on a tint of their own. */
export function PersonAvatar({ name, src, className }: { name: string; src: string | null; className?: string }) {
  return (
    <Avatar src={src} name={name} letters={initials(name)} tint={tintOf(name)} {...(className && { className })} />
  );
}
