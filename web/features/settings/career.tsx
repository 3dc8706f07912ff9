import { useEffect, useEffectEvent } from 'react';
import { Link } from 'react-router';
import type { OwnCareer } from '#contract/careers.ts';
import { paths } from '#web/domain/paths.ts';
import { Loader } from '#web/ui/loader.tsx';
import { toast } from '#web/ui/toasts.ts';
import { useLazyComponent } from '#web/ui/use-lazy-component.ts';

export function Career({ career }: { career: OwnCareer }) {
  // The other sections do not need its script.
  const form = useLazyComponent(() => import('#web/domain/career-form/career-form.tsx'));
  const openForm = useEffectEvent(form.open);
  useEffect(() => openForm(), []);
  const hasImported = !career.isPlaceConfirmed || career.positions.some(({ confirmedOn }) => confirmedOn === null);
  return (
    <>
      <p className="mb-8 max-w-[66ch] text-sm text-ink-soft lg:-mt-1">
        {hasImported
          ? 'The university’s records have filled in your work or your place. Only you see them until you save. '
          : career.positions.length + career.city.length === 0
            ? 'Your work and your city help your classmates find you. '
            : 'Saving also marks your entries as up to date. '}
        <Link className="link -my-3 inline-flex min-h-11 items-center" to={paths.myProfile}>
          See your profile
        </Link>
      </p>
      {form.Part ? (
        <form.Part career={career} isInSettings onSaved={() => toast('success', 'Saved')} />
      ) : (
        <Loader className="needs-scripts late" />
      )}
    </>
  );
}
