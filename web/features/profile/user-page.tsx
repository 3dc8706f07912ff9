import { Link, useLoaderData, useLocation, useRevalidator } from 'react-router';
import type { Profile } from '#contract/profile.ts';
import { paths, withParam } from '#web/domain/paths.ts';
import { fullName } from '#web/domain/people.ts';
import { ReportLink } from '#web/domain/report/report-link.tsx';
import { isMember, useUser } from '#web/domain/root-data.ts';
import { FetchFailure } from '#web/ui/fetch-failure.tsx';
import type { ProfileData } from './loader.ts';
import { MemberSheet, hasWriteParam } from './member-sheet.tsx';
import { ProfileSheet } from './profile-sheet.tsx';

export function UserPage() {
  const loaded = useLoaderData<ProfileData>();
  const { revalidate, state } = useRevalidator();
  const user = useUser();
  if (loaded.failed || !loaded.profile) {
    return (
      <div className="page">
        <h1 className="text-xl font-bold">Profile</h1>
        <FetchFailure
          reason={loaded.failed ? loaded.reason : undefined}
          busy={state === 'loading'}
          onRetry={() => void revalidate()}
        />
      </div>
    );
  }
  const { profile } = loaded;
  if (isMember(user) && user.uid !== profile.id) return <MemberSheet key={profile.id} profile={profile} />;
  return (
    <ProfileSheet
      profile={profile}
      actions={user === null && <SignInToWrite profile={profile} />}
      footer={user?.uid !== profile.id && <ReportLink id={profile.id} name={fullName(profile.name)} />}
    />
  );
}

function SignInToWrite({ profile }: { profile: Profile }) {
  const { pathname, search } = useLocation();
  if (!hasWriteParam(search)) return null;
  return (
    <p>
      <Link className="link inline-flex min-h-11 items-center" to={withParam(paths.login, 'from', `${pathname}?write`)}>
        Sign in to write to {fullName(profile.name)}
      </Link>
    </p>
  );
}
