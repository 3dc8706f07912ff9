import { useLoaderData, useRevalidator } from 'react-router';
import { FetchFailure } from '../../ui/fetch-failure.tsx';
import { ProfileSheet } from './profile-sheet.tsx';
import type { ProfileData } from './loader.ts';

export function UserPage() {
  const loaded = useLoaderData<ProfileData>();
  const { revalidate, state } = useRevalidator();
  if (loaded.failed || !loaded.profile) {
    return (
      <div className="mx-auto max-w-3xl px-4 py-6">
        <h1 className="text-xl font-bold">Profile</h1>
        <FetchFailure
          why={loaded.failed ? loaded.why : undefined}
          busy={state === 'loading'}
          onRetry={() => void revalidate()}
        />
      </div>
    );
  }
  return <ProfileSheet profile={loaded.profile} />;
}
