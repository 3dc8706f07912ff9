import { Link } from 'react-router';
import type { User } from '#contract/identity.ts';
import { paths } from '#web/domain/paths.ts';
import { PersonAvatar } from '#web/domain/person-avatar.tsx';
import { nextStep, type RootData } from '#web/domain/root-data.ts';
import { Icon } from '#web/ui/icon.tsx';
import { useMenu } from './use-menu.ts';

const menuId = 'profile-menu';
const buttonClass = 'flex min-h-11 min-w-0 items-center gap-2 rounded-control px-1 text-left hover:bg-wash';

export function ProfileMenu({ user, onLogout }: { user: RootData['user']; onLogout: () => void }) {
  const menu = useMenu();
  if (user === undefined) return null;
  if (user === null) {
    return (
      <Link to={paths.login} className={buttonClass}>
        <AvatarWithName user={null} />
      </Link>
    );
  }
  return (
    <>
      <button type="button" popoverTarget={menuId} className={buttonClass}>
        <AvatarWithName user={user} />
        <span className="sr-only">, profile menu</span>
        <Icon name="chevron-down" className="size-4 shrink-0 text-ink-soft max-sm:hidden" />
      </button>
      <div
        ref={menu}
        id={menuId}
        popover="auto"
        className="fixed inset-auto top-14 right-4 w-60 lg:top-16 rounded-card border border-line bg-raised p-2 text-ink floating"
      >
        <p className="mb-2 truncate border-b border-line px-3 py-2 text-sm text-ink-soft">{user.email}</p>
        <Link to={paths.myProfile} className="menu-item">
          <Icon name="user-round" />
          My Profile
        </Link>
        <Link to={paths.messages} className="menu-item">
          <Icon name="mail-check" />
          Messages
        </Link>
        {nextStep(user) !== null && (
          <Link to={paths.account} className="menu-item">
            <Icon name="settings" />
            Your account
          </Link>
        )}
        <button type="button" className="menu-item" onClick={onLogout}>
          <Icon name="log-out" />
          Logout
        </button>
      </div>
    </>
  );
}

/** The label is "Alum" for users and "Guest" for guests (specification, section 1). */
function AvatarWithName({ user }: { user: RootData['user'] }) {
  const name = user ? (user.displayName ?? user.email) : 'Guest';
  return (
    <>
      <PersonAvatar name={name} src={user?.imgURL ?? null} className="size-9 shrink-0 text-sm" />
      <span className="min-w-0 leading-tight">
        {/* A display name ends with the first name. */}
        <span className="block max-w-[36vw] truncate text-sm font-semibold sm:hidden">{name.split(' ').at(-1)}</span>
        <span className="block max-w-[min(300px,22vw)] truncate text-sm font-semibold max-sm:hidden">{name}</span>{' '}
        <span className="block text-xs text-ink-soft">{user ? labelOf(user) : 'Login'}</span>
      </span>
    </>
  );
}

const labelOf = ({ isStaff, displayName }: User): string => (isStaff && displayName === null ? 'Staff' : 'Alum');
