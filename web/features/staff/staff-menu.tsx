import { Link, useLocation } from 'react-router';
import type { OwnStaff } from '#contract/staff/scope.ts';
import { paths } from '#web/domain/paths.ts';
import { useRootData } from '#web/domain/root-data.ts';
import { Icon } from '#web/ui/icon.tsx';
import { Mark } from '#web/ui/logo.tsx';
import { canOpen, staffGroups } from './define-page.ts';
import { staffPages } from './staff-pages.ts';
import { staffPath } from './staff-paths.ts';
import { useWaitingCount } from './use-waiting-count.ts';
import { roleNames, formatScope } from './staff-labels.ts';

const menuId = 'staff-menu';
const linkClass =
  'flex min-h-11 items-center rounded-control px-3 font-medium text-ink-soft hover:bg-wash hover:text-ink lg:min-h-9';

interface Props {
  staff: OwnStaff;
  current: string;
}

/** On wide screens a sidebar, on phones a native popover, which opens before the scripts have loaded. */
export function StaffMenu({ staff, current }: Props) {
  const { key } = useLocation();
  const { institution } = useRootData();
  return (
    <header className="sticky top-0 z-20 border-b border-line bg-raised lg:flex lg:h-dvh lg:flex-col lg:overflow-y-auto lg:border-r lg:border-b-0 print:hidden">
      <div className="flex h-14 items-center gap-3 px-4 lg:h-16 lg:px-6">
        <Mark className="size-8" />
        <p className="leading-tight font-bold">
          {institution.abbreviation} <span className="block text-xs font-medium text-ink-soft">Staff console</span>
        </p>
        <button
          type="button"
          popoverTarget={menuId}
          className="-mr-3 ml-auto flex min-h-11 items-center gap-2 rounded-control px-3 font-medium hover:bg-wash lg:hidden"
        >
          <Icon name="menu" />
          Menu
        </button>
      </div>
      <div
        // A new element after each navigation is closed.
        key={key}
        id={menuId}
        popover="auto"
        className="fixed inset-x-0 top-14 bottom-auto max-h-[calc(100dvh-3.5rem)] w-full overflow-y-auto border-b border-line bg-raised p-3 text-ink floating lg:static lg:flex lg:max-h-none lg:w-auto lg:grow lg:flex-col lg:overflow-visible lg:border-0 lg:pt-3 lg:shadow-none"
      >
        <Links staff={staff} current={current} />
        <div className="mt-auto border-t border-line pt-3">
          <Who staff={staff} />
          <Link to={staffPath('handbook')} className={linkClass}>
            Handbook
          </Link>
          <Link to={paths.dashboard} className={linkClass}>
            Back to the archive
          </Link>
        </div>
      </div>
    </header>
  );
}

function Links({ staff, current }: Props) {
  const waiting = useWaitingCount(staff);
  if (staff.obstacle !== null) return null;
  const pages = Object.entries(staffPages).filter(([, page]) => canOpen(staff, page));
  const lastGroup = staffGroups.at(-1);
  return (
    <nav aria-label="Staff console" className="mb-4 grid gap-x-2 gap-y-4 max-lg:grid-cols-2 max-lg:items-start">
      {staffGroups.map((group) => {
        const own = pages.filter(([, page]) => (page.group ?? lastGroup) === group);
        return (
          own.length > 0 && (
            <div key={group}>
              <h2 className="px-3 pb-1 text-xs font-semibold text-ink-soft">{group}</h2>
              <ul>
                {own.map(([path, { title }]) => (
                  <li key={path}>
                    <Link
                      to={staffPath(path)}
                      aria-current={path === current ? 'page' : undefined}
                      className={`${linkClass} aria-[current=page]:font-semibold aria-[current=page]:text-brand aria-[current=page]:marked`}
                    >
                      {title}
                      {path === 'review' && waiting !== null && (
                        <span className="nums ml-auto rounded-full bg-wash px-2 text-sm font-semibold">
                          {waiting}
                          <span className="sr-only"> waiting</span>
                        </span>
                      )}
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          )
        );
      })}
    </nav>
  );
}

function Who({ staff }: { staff: OwnStaff }) {
  const { user } = useRootData();
  return (
    <div className="mb-1 px-3 text-sm">
      <p className="truncate font-semibold">{user?.displayName ?? user?.email}</p>
      {staff.roles.map(({ role, ...scope }) => (
        <p key={`${role} ${formatScope(scope)}`} className="text-xs wrap-anywhere text-ink-soft">
          {roleNames[role]} · {formatScope(scope)}
        </p>
      ))}
    </div>
  );
}
