import { NavLink } from 'react-router';
import { Icon } from '#web/ui/icon.tsx';
import { barLinks, menuId } from './navigation.ts';

const item =
  'relative flex flex-col items-center justify-center gap-0.5 grow basis-0 text-[0.6875rem] font-medium text-ink-soft aria-[current=page]:font-semibold aria-[current=page]:text-brand';
const shape = 'rounded-full px-4 py-1 in-aria-[current=page]:bg-wash';

export function BottomBar() {
  return (
    <nav
      aria-label="Main"
      className="fixed inset-x-0 bottom-0 z-30 flex h-(--bar) border-t border-line bg-raised pb-[env(safe-area-inset-bottom)] lg:hidden print:hidden"
    >
      {barLinks.map(({ to, label, icon }) => (
        <NavLink end key={to} to={to} className={item}>
          <span className={shape}>
            <Icon name={icon} />
          </span>
          {label}
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
