import { Link, useLocation } from 'react-router';
import type { RootData } from '#web/domain/root-data.ts';
import { Icon } from '#web/ui/icon.tsx';
import { currentOf, menuId, menuLinks } from './navigation.ts';
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
  const { pathname } = useLocation();
  const item = `menu-item ${collapsed ? 'narrow' : ''}`;
  return (
    <aside ref={menu} id={menuId} popover="auto" className="sidebar print:hidden">
      <nav aria-label="Menu" className="mb-2 grid gap-1">
        {menuLinks(user).map(({ to, label, icon, isPhoneOnly }) => (
          <Link
            key={to}
            to={to}
            aria-current={currentOf(to, pathname)}
            className={`${item} ${isPhoneOnly ? 'lg:hidden' : ''}`}
          >
            <Icon name={icon} />
            {label}
          </Link>
        ))}
      </nav>
      <YearSpine isCollapsed={collapsed} />
      <div className="mt-auto max-lg:hidden" />
      {user && (
        <button type="button" className={item} onClick={onLogout}>
          <Icon name="log-out" />
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
        <Icon name={collapsed ? 'chevrons-right' : 'chevrons-left'} />
        {collapsed ? 'Expand' : 'Collapse'}
      </button>
    </aside>
  );
}
