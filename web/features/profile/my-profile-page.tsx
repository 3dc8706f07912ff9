import type { ReactNode } from 'react';
import { Link, useLoaderData, useRevalidator } from 'react-router';
import type { Profile } from '#contract/profile.ts';
import type { Audience } from '#contract/visibility.ts';
import { careerFormPath } from '#web/domain/careers.ts';
import { paths, withParam } from '#web/domain/paths.ts';
import { WaitingChange } from '#web/domain/waiting-change.tsx';
import { ButtonLink } from '#web/ui/button.tsx';
import { FetchFailure } from '#web/ui/fetch-failure.tsx';
import { CareerCard, useCareerChanges } from './career-card.tsx';
import { CompletenessRing } from './completeness.tsx';
import { ProfileSheet } from './profile-sheet.tsx';
import type { ProfileData, ProfileView } from './loader.ts';

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
  const actions = <OwnerActions own={own} />;
  return (
    <>
      {own.as === 'me' && own.waiting && (
        <div className="py-3 bleed print:hidden">
          <WaitingChange values={own.waiting} />
        </div>
      )}
      {profile && own.as === 'me' && <OwnSheet profile={profile} own={own} actions={actions} />}
      {profile && own.as !== 'me' && <ProfileSheet profile={profile} isPreview actions={actions} />}
      {!profile && (
        <div className="page grid gap-4">
          {actions}
          <p className="text-lg">
            They cannot see your profile. Either your name is hidden from them, or only members can see your profile
            because of your age.
          </p>
        </div>
      )}
    </>
  );
}

type Own = NonNullable<ProfileView['own']>;

interface OwnSheetProps {
  profile: Profile;
  own: Own;
  actions: ReactNode;
}

function OwnSheet({ profile, own, actions }: OwnSheetProps) {
  const { isBusy, save } = useCareerChanges();
  return (
    <ProfileSheet
      profile={profile}
      visibility={own.visibility}
      actions={actions}
      question={own.career.isAsked && <CareerCard career={own.career} />}
      career={{ editPath: careerFormPath, onConfirm: isBusy ? null : () => void save(own.career) }}
    />
  );
}

const viewAsOptions: { as: Audience; label: string }[] = [
  { as: 'me', label: 'Me' },
  { as: 'members', label: 'Members' },
  { as: 'everyone', label: 'Guests' },
];

const audienceSentences: Record<Audience, string> = {
  everyone: 'Marked details are hidden from guests.',
  members: 'Only members see this page.',
  me: 'Only you see this page.',
};

const OwnerActions = ({ own: { as: current, audience, completeness } }: { own: Own }) => (
  <div className="flex flex-wrap items-center gap-x-3 gap-y-2 text-sm xl:w-92">
    <nav aria-label="View as" className="flex items-center gap-3">
      <span className="font-semibold">View as</span>
      <span className="segmented">
        {viewAsOptions.map(({ as, label }) => (
          <Link
            key={as}
            to={as === 'me' ? paths.myProfile : withParam(paths.myProfile, 'as', as)}
            aria-current={current === as ? 'true' : undefined}
            preventScrollReset
          >
            {label}
          </Link>
        ))}
      </span>
    </nav>
    {current === 'me' && (
      <ButtonLink
        variant="quiet"
        className="text-base max-sm:grow sm:ml-auto"
        to={withParam(paths.settings, 'section', 'information')}
      >
        Edit
      </ButtonLink>
    )}
    <p className="basis-full text-ink-soft">
      {current === 'me' ? audienceSentences[audience] : 'This is exactly what they see.'}
    </p>
    {current === 'me' && <CompletenessRing {...completeness} />}
  </div>
);
