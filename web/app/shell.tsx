import { Icon } from '../ui/icon.tsx';
import { type ReactNode, useState } from 'react';
import { Link, NavLink } from '../platform/link.tsx';
import { paths } from '../domain/paths.ts';
import { useUnreadCount } from '../domain/unread-count.ts';
import { type RootData, useRootData } from '../domain/root-data.ts';
import { useLazyComponent } from '../ui/use-lazy-component.ts';
import { Mark } from '../ui/logo.tsx';
import { HeaderSearch } from './header-search.tsx';
import { MobileMenu } from './mobile-menu.tsx';
import { ProfileMenu } from './profile-menu.tsx';
import { type Destination, sidebarLinks } from './navigation.ts';
import { saveSidebar } from './sidebar-state.ts';

/** Renders the frame of every page except the sign-in pages: header, sidebar, mobile menu. */
export function Shell({ children }: { children: ReactNode }) {
  const { user, institution, sidebar: remembered } = useRootData();
  const [sidebar, setSidebar] = useState(remembered);
  const unread = useUnreadCount(user);
  const logout = useLazyComponent(() => import('./logout-modal.tsx'));
  const collapsed = sidebar === 'collapsed';

  function toggle() {
    const next = collapsed ? 'expanded' : 'collapsed';
    setSidebar(next);
    saveSidebar(next);
  }

  return (
    <div className="min-h-dvh">
      <a href="#content" className="skip-link">
        Skip to content
      </a>
      <header className="sticky top-0 z-30 flex h-16 items-center gap-2 border-b border-line bg-raised px-4 lg:gap-6 lg:px-6">
        <Link to={paths.dashboard} className="flex items-center gap-3 rounded-control font-bold">
          <Mark />
          <span className="leading-tight max-sm:sr-only">
            {institution.abbreviation} <span className="block text-xs font-medium text-ink-soft">Alumni archive</span>
          </span>
        </Link>
        <HeaderSearch />
        <NavLink
          to={paths.notification}
          className="relative grid size-11 shrink-0 place-items-center rounded-control text-ink-soft hover:bg-brand-soft hover:text-brand aria-[current=page]:text-brand"
        >
          <Icon name="bell" className="size-5.5" />
          <span className="sr-only">Notifications </span>
          {unread > 0 && (
            <span className="absolute top-1 right-0 min-w-5 rounded-full bg-danger px-1 text-center text-xs font-semibold text-white">
              {unread > 99 ? '99+' : unread}
              <span className="sr-only"> new</span>
            </span>
          )}
        </NavLink>
        <ProfileMenu user={user} onLogout={logout.open} />
        <MobileMenu user={user} onLogout={logout.open} />
      </header>
      <div className="lg:flex">
        <Sidebar user={user} collapsed={collapsed} onToggle={toggle} onLogout={logout.open} />
        <main id="content" tabIndex={-1} className="min-w-0 grow outline-none">
          {children}
        </main>
      </div>
      {logout.Part && <logout.Part onClose={logout.close} />}
    </div>
  );
}

interface SidebarProps {
  user: RootData['user'];
  collapsed: boolean;
  onToggle: () => void;
  onLogout: () => void;
}

/** Shows the sidebar: 300 px wide, or 100 px with the label below the icon. Icons always have a label. */
function Sidebar({ user, collapsed, onToggle, onLogout }: SidebarProps) {
  const item = collapsed
    ? 'flex flex-col items-center gap-1 rounded-control px-1 py-2.5 text-center text-xs font-medium'
    : 'flex min-h-11 items-center gap-3 rounded-control px-3 py-2 font-medium';
  const rest = 'text-ink-soft hover:bg-brand-soft hover:text-ink';
  return (
    <aside
      className={`sticky top-16 hidden h-[calc(100dvh-4rem)] shrink-0 flex-col gap-1 overflow-y-auto border-r border-line bg-raised p-3 smooth lg:flex ${collapsed ? 'w-[100px]' : 'w-[300px]'}`}
    >
      <nav aria-label="Main" className="grid gap-1">
        {sidebarLinks(user).map((link) => (
          <SidebarLink key={link.to} {...link} className={item} />
        ))}
      </nav>
      {user && (
        <button type="button" className={`${item} ${rest} w-full`} onClick={onLogout}>
          <Icon name="log-out" className="size-5 shrink-0" />
          Logout
        </button>
      )}
      <button
        type="button"
        className={`${item} ${rest} mt-auto w-full`}
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

/** Renders a sidebar link. The current page has a bar at the edge, because colour alone is not accessible. */
function SidebarLink({ to, label, icon, className }: Destination & { className: string }) {
  return (
    <NavLink
      to={to}
      className={`${className} text-ink-soft hover:bg-brand-soft hover:text-ink aria-[current=page]:bg-brand-soft aria-[current=page]:font-semibold aria-[current=page]:text-brand aria-[current=page]:marked`}
    >
      <Icon name={icon} className="size-5 shrink-0" />
      {label}
    </NavLink>
  );
}
