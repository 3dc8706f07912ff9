import { ButtonLink } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { paths } from './paths.ts';
import { useRootData } from './root-data.ts';

export function EmptyArchive() {
  const { institution, user } = useRootData();
  return (
    <EmptyState
      drawing="hall"
      title="Nobody has joined yet"
      action={user ? undefined : <ButtonLink to={paths.signUp}>Sign up</ButtonLink>}
    >
      <p>
        This is the archive of the students and graduates of {institution.name}.{' '}
        {user ? 'People appear here when they have completed their profile.' : 'Be the first to join.'}
      </p>
      {user?.isStaff && (
        <p className="mt-2 text-sm">
          If you operate this archive, you can import people: <code>npm run archive -- import --help</code>
        </p>
      )}
    </EmptyState>
  );
}
