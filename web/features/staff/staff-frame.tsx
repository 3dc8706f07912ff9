import { useState } from 'react';
import { useLoaderData, useParams, useRevalidator } from 'react-router';
import { paths } from '../../domain/paths.ts';
import { useRootData } from '../../domain/root-data.ts';
import { PasswordDialog } from '../../domain/password-dialog.tsx';
import { Link, NavLink } from '../../platform/link.tsx';
import { Button } from '../../ui/button.tsx';
import { Mark } from '../../ui/logo.tsx';
import type { StaffData } from './staff-loader.ts';
import { staffPages } from './staff-pages.ts';

/** Renders a page of the staff console in its frame: the links to the pages that the user has a right to. */
export function StaffPage() {
  const { staff, page, title } = useLoaderData<StaffData>();
  const { page: name = '', id = null } = useParams();
  const { institution } = useRootData();
  const { Component } = staffPages[name] ?? {};
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[15rem_1fr]">
      <a href="#content" className="skip-link">
        Skip to content
      </a>
      <header className="border-b border-line bg-raised p-3 lg:sticky lg:top-0 lg:h-dvh lg:border-r lg:border-b-0">
        <p className="flex items-center gap-3 px-3 py-2 font-bold">
          <Mark />
          <span className="leading-tight">
            {institution.abbreviation} <span className="block text-xs font-medium text-ink-soft">Staff console</span>
          </span>
        </p>
        <nav aria-label="Staff console" className="mt-2 flex gap-1 overflow-x-auto lg:grid">
          {staff.obstacle === null &&
            Object.entries(staffPages)
              .filter(([, { right }]) => staff.rights.includes(right))
              .map(([path, { title: label }]) => (
                <NavLink
                  key={path}
                  to={path === '' ? paths.staff : `${paths.staff}/${path}`}
                  className="flex min-h-11 shrink-0 items-center rounded-control px-3 font-medium text-ink-soft hover:bg-wash hover:text-ink aria-[current=page]:font-semibold aria-[current=page]:text-brand aria-[current=page]:marked"
                >
                  {label}
                </NavLink>
              ))}
          <Link
            to={paths.dashboard}
            className="flex min-h-11 shrink-0 items-center rounded-control px-3 text-ink-soft hover:bg-wash"
          >
            Back to the archive
          </Link>
        </nav>
      </header>
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto grid w-full max-w-5xl content-start gap-6 p-4 outline-none lg:p-8"
      >
        <h1 className="text-2xl font-bold">{title}</h1>
        {staff.obstacle !== null ? <Obstacle kind={staff.obstacle} /> : Component && <Component data={page} id={id} />}
      </main>
    </div>
  );
}

/** Says what the console needs first, and offers it. */
function Obstacle({ kind }: { kind: 'second-factor' | 'password' }) {
  const { revalidate } = useRevalidator();
  const [isAsking, setIsAsking] = useState(false);
  if (kind === 'second-factor')
    return (
      <p>
        Staff need a second factor. Set up an authenticator app or a passkey in the{' '}
        <Link to={paths.settings} className="font-semibold text-brand underline">
          settings
        </Link>
        , then come back.
      </p>
    );
  return (
    <div className="grid justify-items-start gap-4">
      <p>The staff console asks for your password every 12 hours.</p>
      <Button onClick={() => setIsAsking(true)}>Enter the password</Button>
      {isAsking && <PasswordDialog onClose={() => setIsAsking(false)} onTyped={revalidate} />}
    </div>
  );
}
