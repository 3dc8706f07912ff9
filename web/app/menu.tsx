import { NavLink } from 'react-router';
import type { RootData } from '#web/domain/root-data.ts';
import { Icon } from '#web/ui/icon.tsx';
import { menuId, menuLinks } from './navigation.ts';
import { useMenu } from './use-menu.ts';
import { YearSpine } from './year-spine.tsx';

interface Props {
  user: RootData['user'];
  collapsed: boolean;
  onToggle: () => void;
  onLogout: () => void;
}

/**
 * Shows the links to all pages (specification, section 2). On wide screens it is the sidebar: 300 px wide, or 100 px
 * with the label below the icon. On phones it is the menu that the bar at the bottom opens. It is a native popover, so
 * it opens before the scripts have loaded.
 */
export function Menu({ user, collapsed, onToggle, onLogout }: Props) {
  const menu = useMenu();
  const item = `flex min-h-11 w-full items-center gap-3 rounded-control px-3 py-2 text-left font-medium text-ink-soft hover:bg-wash hover:text-ink ${collapsed ? 'lg:flex-col lg:gap-1 lg:px-1 lg:text-center lg:text-xs' : ''}`;
  return (
    <aside
      ref={menu}
      id={menuId}
      popover="auto"
      className="fixed inset-x-0 top-auto bottom-(--bar) w-full flex-col gap-1 overflow-y-auto border-t border-line bg-raised p-3 text-ink lg:sticky lg:top-16 lg:flex lg:h-[calc(100dvh-4rem)] lg:w-(--sidebar) lg:shrink-0 lg:border-t-0 lg:border-r lg:bg-surface print:hidden"
    >
      <nav aria-label="Menu" className="grid gap-1">
        {menuLinks(user).map(({ to, label, icon, isPhoneOnly }) => (
          <NavLink
            end
            key={to}
            to={to}
            className={`${item} aria-[current=page]:font-semibold aria-[current=page]:text-brand aria-[current=page]:marked ${isPhoneOnly ? 'lg:hidden' : ''}`}
          >
            <Icon name={icon} className="size-5 shrink-0" />
            {label}
          </NavLink>
        ))}
      </nav>
      <YearSpine isCollapsed={collapsed} />
      <div className="mt-auto max-lg:hidden" />
      {user && (
        <button type="button" className={item} onClick={onLogout}>
          <Icon name="log-out" className="size-5 shrink-0" />
          Logout
        </button>
      )}
      <button
        type="button"
        className={`${item} max-lg:hidden`}
        onClick={onToggle}
        aria-expanded={!collapsed}
        aria-label={collapsed ? 'Expand the sidebar' : 'Collapse the sidebar'}
      >
        <Icon name={collapsed ? 'chevrons-right' : 'chevrons-left'} className="size-5 shrink-0" />
        {collapsed ? 'Expand' : 'Collapse'}
      </button>
    </aside>
  );
}
