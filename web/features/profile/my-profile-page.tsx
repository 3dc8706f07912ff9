import { useLoaderData, useRevalidator } from 'react-router';
import { Link } from '../../platform/link.tsx';
import type { Audience } from '#contract/visibility.ts';
import { paths, withParam } from '../../domain/paths.ts';
import { FetchFailure } from '../../ui/fetch-failure.tsx';
import { ProfileSheet } from './profile-sheet.tsx';
import type { ProfileData } from './loader.ts';

/** Shows the profile of the signed-in user, with a lock beside restricted fields and links to view it as others see it. */
export function MyProfilePage() {
  const loaded = useLoaderData<ProfileData>();
  const { revalidate, state } = useRevalidator();
  if (loaded.failed || !loaded.own) {
    return (
      <div className="page">
        <h1 className="text-xl font-bold">My profile</h1>
        <FetchFailure busy={state === 'loading'} onRetry={() => void revalidate()} />
      </div>
    );
  }
  const { profile, own } = loaded;
  return (
    <>
      <ViewAs current={own.as} />
      {profile ? (
        <ProfileSheet profile={profile} {...(own.as === 'me' && { visibility: own.visibility })} />
      ) : (
        <p className="page text-lg">
          They cannot see your profile. Either your name is hidden from them, or only members can see your profile
          because of your age.
        </p>
      )}
    </>
  );
}

const viewAsOptions: { as: Audience; label: string }[] = [
  { as: 'me', label: 'Me' },
  { as: 'members', label: 'Members' },
  { as: 'everyone', label: 'Guests' },
];

function ViewAs({ current }: { current: Audience }) {
  return (
    <nav
      aria-label="View as"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-raised px-4 py-2 text-sm lg:px-8"
    >
      <span className="font-semibold">View as</span>
      <span className="flex rounded-control border border-line-strong">
        {viewAsOptions.map(({ as, label }) => (
          <Link
            key={as}
            to={as === 'me' ? paths.myProfile : withParam(paths.myProfile, 'as', as)}
            aria-current={current === as ? 'true' : undefined}
            keepsScroll
            className="grid min-h-10 place-items-center rounded-[7px] px-3 font-medium text-ink-soft hover:bg-wash aria-[current=true]:bg-brand aria-[current=true]:text-on-fill"
          >
            {label}
          </Link>
        ))}
      </span>
      <span className="text-ink-soft">
        {current === 'me' ? 'This is your complete profile.' : 'This is exactly what they see.'}
      </span>
      <Link
        to={withParam(paths.settings, 'section', 'information')}
        className="link ml-auto inline-flex min-h-11 items-center"
      >
        Edit
      </Link>
    </nav>
  );
}
