import { NavLink } from '../platform/link.tsx';
import { paths } from '../domain/paths.ts';
import { Icon } from '../ui/icon.tsx';
import { barLinks, menuId } from './navigation.ts';
import { UnreadCount } from './unread-count.tsx';

const item =
  'relative flex flex-col items-center justify-center gap-0.5 grow basis-0 text-[0.6875rem] font-medium text-ink-soft aria-[current=page]:font-semibold aria-[current=page]:text-brand';
const shape = 'rounded-full px-4 py-1 in-aria-[current=page]:bg-wash';

/** Shows four pages and the menu at the bottom of small screens. */
export function BottomBar({ unread }: { unread: number }) {
  return (
    <nav
      aria-label="Main"
      className="fixed inset-x-0 bottom-0 z-30 flex h-(--bar) border-t border-line bg-raised pb-[env(safe-area-inset-bottom)] lg:hidden print:hidden"
    >
      {barLinks.map(({ to, label, icon }) => (
        <NavLink key={to} to={to} className={item}>
          <span className={shape}>
            <Icon name={icon} />
          </span>
          {label} {to === paths.notification && <UnreadCount unread={unread} className="top-0.5 left-1/2" />}
        </NavLink>
      ))}
      <button type="button" popoverTarget={menuId} className={item}>
        <span className={shape}>
          <Icon name="menu" />
        </span>
        Menu
      </button>
    </nav>
  );
}
