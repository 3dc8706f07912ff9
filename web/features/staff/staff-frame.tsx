import { useState } from 'react';
import { useLoaderData, useParams, useRevalidator } from 'react-router';
import type { OwnStaff } from '#contract/staff.ts';
import { noticeHours } from '#contract/staff-values.ts';
import { paths } from '../../domain/paths.ts';
import { PasswordDialog } from '../../domain/password-dialog.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import type { StaffData } from './staff-loader.ts';
import { StaffMenu } from './staff-menu.tsx';
import { staffPages } from './staff-pages.ts';
import { PageHeader } from './ui/page-header.tsx';

/** Renders a page of the staff console in its frame: the links to the pages that the user has a right to. */
export function StaffPage() {
  const { staff, page, title } = useLoaderData<StaffData>();
  const { page: name = '', id = null } = useParams();
  const { Component, layout } = staffPages[name] ?? {};
  const isOpen = staff.obstacle === null && Component !== undefined;
  const hasPanes = isOpen && layout === 'panes';
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[15rem_minmax(0,1fr)]">
      <a href="#content" className="skip-link">
        Skip to content
      </a>
      <StaffMenu staff={staff} />
      <main
        id="content"
        tabIndex={-1}
        className={
          hasPanes
            ? 'min-w-0 outline-none'
            : 'grid w-full max-w-5xl grid-cols-1 content-start gap-6 p-4 pb-12 outline-none lg:p-8'
        }
      >
        {!isOpen && <PageHeader title={title} />}
        <noscript>
          <p className={hasPanes ? 'p-4' : ''}>
            Turn on JavaScript to change anything here. Without it, you can only read.
          </p>
        </noscript>
        {isOpen ? (
          // A page of another id is another page, with its own state. The panes keep theirs while items change.
          <Component key={hasPanes ? name : `${name}/${id}`} data={page} id={id} />
        ) : (
          <Obstacle kind={staff.obstacle} />
        )}
      </main>
    </div>
  );
}

/** Says what the console needs first, and offers it. Null: no page is there for the user's roles. */
function Obstacle({ kind }: { kind: OwnStaff['obstacle'] }) {
  const { revalidate } = useRevalidator();
  const [isAsking, setIsAsking] = useState(false);
  if (kind === null) return <p className="max-w-[66ch]">The staff console has no pages for your role yet.</p>;
  if (kind === 'second-factor')
    return (
      <div className="grid max-w-[66ch] justify-items-start gap-4">
        <p>
          Staff see the data of many people, so the staff console needs two-step sign-in. Set up an authenticator app or
          a passkey, then open the staff console again.
        </p>
        <ButtonLink to={`${paths.settings}?section=security`}>Set up two-step sign-in</ButtonLink>
      </div>
    );
  if (kind === 'approval')
    return (
      <p className="max-w-[66ch]">
        You added a second factor. To protect the data of members, the staff console opens {noticeHours} hours later, or
        when an owner approves it. All owners got an email.
      </p>
    );
  return (
    <div className="grid max-w-[66ch] justify-items-start gap-4">
      <p>The staff console asks for your password every 12 hours. You then continue on this page.</p>
      <Button onClick={() => setIsAsking(true)}>Enter your password</Button>
      {isAsking && <PasswordDialog onClose={() => setIsAsking(false)} onTyped={revalidate} />}
    </div>
  );
}
