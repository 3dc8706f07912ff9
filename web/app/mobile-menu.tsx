import { NavLink } from '../platform/link.tsx';
import type { RootData } from '../domain/root-data.ts';
import { Icon } from '../ui/icon.tsx';
import { mobileLinks } from './navigation.ts';
import { useMenu } from './use-menu.ts';

const menuId = 'mobile-menu';
const item = 'flex min-h-12 w-full items-center gap-4 rounded-control px-3 text-left font-medium';

/** Shows the navigation menu on small screens. It is a native popover, so it opens before the scripts have loaded. */
export function MobileMenu({ user, onLogout }: { user: RootData['user']; onLogout: () => void }) {
  const menu = useMenu();
  return (
    <div className="lg:hidden">
      <button
        type="button"
        aria-label="Menu"
        popoverTarget={menuId}
        className="-mr-2 grid size-11 place-items-center rounded-control text-ink-soft hover:bg-brand-soft hover:text-brand"
      >
        <Icon name="menu" className="size-6" />
      </button>
      <div
        ref={menu}
        id={menuId}
        popover="auto"
        className="fixed inset-x-0 top-16 bottom-auto m-0 w-full border-b border-line bg-raised p-3 text-ink floating open:animate-[rise_160ms_var(--ease-out)]"
      >
        <nav aria-label="Menu" className="grid gap-1">
          {mobileLinks(user).map(({ to, label, icon }) => (
            <NavLink
              key={to}
              to={to}
              className={`${item} hover:bg-brand-soft aria-[current=page]:bg-brand-soft aria-[current=page]:text-brand aria-[current=page]:marked`}
            >
              <Icon name={icon} />
              {label}
            </NavLink>
          ))}
          {user && (
            <button type="button" className={`${item} hover:bg-brand-soft`} onClick={onLogout}>
              <Icon name="log-out" />
              Logout
            </button>
          )}
        </nav>
      </div>
    </div>
  );
}
