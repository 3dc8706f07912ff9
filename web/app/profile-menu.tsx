import type { ReactNode } from 'react';
import { Link } from '../platform/link.tsx';
import { paths } from '../domain/paths.ts';
import { PersonAvatar } from '../domain/person-avatar.tsx';
import type { RootData } from '../domain/root-data.ts';
import { Icon } from '../ui/icon.tsx';
import { useMenu } from './use-menu.ts';

const menuId = 'profile-menu';
const itemClass = 'flex min-h-11 w-full items-center gap-3 rounded-control px-3 text-left hover:bg-brand-soft';

/** Shows avatar and name, with the label "Alum" for signed-in users and "Guest" for others (specification, section 1). */
export function ProfileMenu({ user, onLogout }: { user: RootData['user']; onLogout: () => void }) {
  const menu = useMenu();

  const buttonClass = 'flex min-h-11 shrink-0 items-center gap-2 rounded-control px-1 text-left hover:bg-brand-soft';
  if (user === undefined) return null;
  if (user === null) {
    return (
      <Link to={paths.login} className={buttonClass}>
        <AvatarWithName name="Guest" src={null} label="Login" />
      </Link>
    );
  }
  const name = user.displayName ?? user.email;
  return (
    <>
      <button type="button" popoverTarget={menuId} className={buttonClass}>
        <AvatarWithName name={name} src={user.imgURL} label="Alum">
          <span className="sr-only">, profile menu</span>
          <Icon name="chevron-down" className="size-4 text-ink-soft max-lg:hidden" />
        </AvatarWithName>
      </button>
      <div
        ref={menu}
        id={menuId}
        popover="auto"
        className="fixed inset-auto top-16 right-4 w-60 rounded-card border border-line bg-raised p-2 text-ink floating open:animate-[rise_140ms_var(--ease-out)]"
      >
        <p className="mb-2 truncate border-b border-line px-3 pt-1 pb-3 text-sm text-ink-soft">{user.email}</p>
        <Link to={paths.myProfile} className={itemClass}>
          <Icon name="user-round" />
          My Profile
        </Link>
        <button type="button" className={itemClass} onClick={onLogout}>
          <Icon name="log-out" />
          Logout
        </button>
      </div>
    </>
  );
}

function AvatarWithName({
  name,
  src,
  label,
  children,
}: {
  name: string;
  src: string | null;
  label: string;
  children?: ReactNode;
}) {
  return (
    <>
      <PersonAvatar name={name} src={src} className="size-9 text-sm" />
      <span className="leading-tight max-lg:sr-only">
        <span className="block max-w-44 truncate text-sm font-semibold">{name}</span>{' '}
        <span className="block text-xs text-ink-soft">{label}</span>
      </span>
      {children}
    </>
  );
}
