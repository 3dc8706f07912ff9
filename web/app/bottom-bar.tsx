import { Link, useLocation } from 'react-router';
import type { RootData } from '#web/domain/root-data.ts';
import { Icon } from '#web/ui/icon.tsx';
import { barLinks, currentOf, menuId, menuLinks } from './navigation.ts';

export function BottomBar({ user }: { user: RootData['user'] }) {
  const { pathname } = useLocation();
  const isInMenu = menuLinks(user).some((link) => !barLinks.includes(link) && currentOf(link.to, pathname));
  return (
    <nav aria-label="Main" className="bottom-bar lg:hidden print:hidden">
      {barLinks.map(({ to, label, icon }) => (
        <Link key={to} to={to} aria-current={currentOf(to, pathname)}>
          <span>
            <Icon name={icon} />
          </span>
          {label}
        </Link>
      ))}
      <button type="button" popoverTarget={menuId} aria-current={isInMenu || undefined}>
        <span>
          <Icon name="menu" />
        </span>
        Menu
      </button>
    </nav>
  );
}
