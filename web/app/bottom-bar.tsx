import { NavLink } from 'react-router';
import { Icon } from '#web/ui/icon.tsx';
import { barLinks, menuId } from './navigation.ts';

export function BottomBar() {
  return (
    <nav aria-label="Main" className="bottom-bar lg:hidden print:hidden">
      {barLinks.map(({ to, label, icon }) => (
        <NavLink end key={to} to={to}>
          <span>
            <Icon name={icon} />
          </span>
          {label}
        </NavLink>
      ))}
      <button type="button" popoverTarget={menuId}>
        <span>
          <Icon name="menu" />
        </span>
        Menu
      </button>
    </nav>
  );
}
