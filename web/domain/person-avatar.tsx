import { Avatar } from '#web/ui/avatar.tsx';
import { initials, tintOf } from './people.ts';

export function PersonAvatar({ name, src, className }: { name: string; src: string | null; className?: string }) {
  return (
    <Avatar src={src} name={name} letters={initials(name)} tint={tintOf(name)} {...(className && { className })} />
  );
}
