import { useState } from 'react';
import type { SecondFactor as SecondFactorData } from '#contract/second-factor.ts';
import { useLoaderData, useParams, useRevalidator } from 'react-router';
import { noticeHours } from '#contract/staff/values.ts';
import { PasswordDialog } from '#web/domain/password-dialog.tsx';
import { SecondFactor } from '#web/domain/second-factor/second-factor.tsx';
import { Button } from '#web/ui/button.tsx';
import type { StaffData } from './staff-loader.ts';
import { loadedParts } from './define-page.ts';
import { StaffMenu } from './staff-menu.tsx';
import { staffPages } from './staff-pages.ts';
import { PageHeader } from './ui/page-header.tsx';

export function StaffPage() {
  const { staff, name, page, title, factors } = useLoaderData<StaffData>();
  const { id = null } = useParams();
  const Component = loadedParts.get(name)?.Component;
  const isOpen = staff.obstacle === null && Component !== undefined;
  const hasPanes = isOpen && staffPages[name]?.hasPanes;
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[15rem_minmax(0,1fr)]">
      <a href="#content" className="skip-link">
        Skip to content
      </a>
      <StaffMenu staff={staff} current={name} />
      <main
        id="content"
        tabIndex={-1}
        className={
          hasPanes
            ? 'min-w-0 outline-none'
            : 'grid w-full grid-cols-1 content-start gap-6 p-4 pb-12 outline-none lg:p-8 max-w-[105rem]'
        }
      >
        {!isOpen && <PageHeader title={title} />}
        <noscript>
          <p className={hasPanes ? 'p-4' : ''}>
            Turn on JavaScript to change anything here. Without it, you can only read.
          </p>
        </noscript>
        {isOpen && (
          // A page of another id is another page, with its own state. The panes keep theirs while items change.
          <Component key={hasPanes ? name : `${name}/${id}`} data={page} id={id} />
        )}
        {!isOpen && (factors ? <SetUpFactor factors={factors} /> : <Obstacle kind={staff.obstacle} />)}
      </main>
    </div>
  );
}

/** Without a second factor, the console does not open. */
function SetUpFactor({ factors }: { factors: SecondFactorData }) {
  return (
    <>
      <p className="max-w-[66ch]">
        Staff see the data of many people, so the staff console needs two-step sign-in. Set up an authenticator app or a
        passkey.
      </p>
      <SecondFactor factors={factors} />
    </>
  );
}

/** Null: no page is there for the user's roles. */
function Obstacle({ kind }: { kind: StaffData['staff']['obstacle'] }) {
  const { revalidate } = useRevalidator();
  const [isAsking, setIsAsking] = useState(false);
  if (kind === null) return <p className="max-w-[66ch]">The staff console has no pages for your role yet.</p>;
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
