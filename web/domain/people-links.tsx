import { Link } from 'react-router';
import { paths } from './paths.ts';
import { isMember, useUser } from './root-data.ts';

/** Lists of people to look through. */
export function PeopleLinks() {
  const user = useUser();
  const { department = null, yearGraduated: year = null } = isMember(user) ? user : {};
  const links = [
    ...(department !== null && year !== null ? [[`Class of ${year}`, paths.classOf(department, year)] as const] : []),
    ...(department !== null
      ? [[department, `${paths.dashboard}?${new URLSearchParams({ department })}`] as const]
      : []),
    ['All people', `${paths.dashboard}?department=all`] as const,
    ...(isMember(user) ? [['By work, city or help', paths.careers] as const] : []),
  ];
  return (
    <ul>
      {links.map(([label, to]) => (
        <li key={to} className="border-t border-line">
          <Link
            to={to}
            className="flex min-h-11 items-center py-2.5 leading-snug font-semibold text-brand hover:underline"
          >
            {label}
          </Link>
        </li>
      ))}
    </ul>
  );
}
