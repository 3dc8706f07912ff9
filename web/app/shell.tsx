import { Icon } from '#web/ui/icon.tsx';
import { type ReactNode, useState } from 'react';
import { Link, NavLink, useLocation } from 'react-router';
import { saveChoice } from '#web/domain/display-choices.ts';
import { paths } from '#web/domain/paths.ts';
import { useUnreadCount } from '#web/domain/unread-count.ts';
import { useRootData } from '#web/domain/root-data.ts';
import { useLazyComponent } from '#web/ui/use-lazy-component.ts';
import { Mark } from '#web/ui/logo.tsx';
import { HeaderSearch } from './header-search.tsx';
import { BottomBar } from './bottom-bar.tsx';
import { NextStepLine } from './next-step-line.tsx';
import { Skeleton } from './loading.tsx';
import { Menu } from './menu.tsx';
import { ProfileMenu } from './profile-menu.tsx';
import { UnreadCount } from './unread-count.tsx';

export function Shell({ children }: { children: ReactNode }) {
  const { user, institution, sidebar: remembered } = useRootData();
  const [sidebar, setSidebar] = useState(remembered);
  const unread = useUnreadCount(user);
  const logout = useLazyComponent(() => import('./logout-modal.tsx'));
  const collapsed = sidebar === 'collapsed';
  const isSearchPage = useLocation().pathname === paths.search;

  function toggle() {
    const next = collapsed ? 'expanded' : 'collapsed';
    setSidebar(next);
    saveChoice('sidebar', next);
  }

  return (
    <div className={`shell ${collapsed ? 'lg:[--sidebar:100px]' : 'lg:[--sidebar:300px]'}`}>
      <a href="#content" className="skip-link">
        Skip to content
      </a>
      <header className={`header print:hidden ${isSearchPage ? 'two-rows' : ''}`}>
        <Link
          to={paths.dashboard}
          className={`flex shrink-0 items-center gap-3 rounded-control font-bold lg:w-(--sidebar) ${collapsed ? 'lg:justify-center' : 'lg:pl-6'}`}
        >
          <Mark />
          <span className={`leading-tight ${collapsed ? 'sr-only' : 'max-lg:sr-only'}`}>
            {institution.abbreviation} <span className="block text-xs font-medium text-ink-soft">alumni archive</span>
          </span>
        </Link>
        <HeaderSearch />
        <div className="user">
          <NavLink
            end
            to={paths.notification}
            className="relative grid size-11 shrink-0 place-items-center rounded-control text-ink-soft hover:bg-wash hover:text-brand aria-[current=page]:text-brand"
          >
            <Icon name="bell" className="size-5.5" />
            <span className="sr-only">Notifications </span>
            <UnreadCount unread={unread} className="top-1 right-0" />
          </NavLink>
          <ProfileMenu user={user} onLogout={logout.open} />
        </div>
      </header>
      <div className="lg:flex">
        <Menu user={user} collapsed={collapsed} onToggle={toggle} onLogout={logout.open} />
        <main id="content" tabIndex={-1} className="min-w-0 grow outline-none">
          <NextStepLine user={user} />
          {children}
          <Skeleton />
        </main>
      </div>
      <BottomBar user={user} />
      {logout.Part && <logout.Part onClose={logout.close} />}
    </div>
  );
}
