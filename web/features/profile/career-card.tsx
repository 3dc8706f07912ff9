import { useState } from 'react';
import { useRevalidator } from 'react-router';
import type { OwnCareer } from '#contract/careers.ts';
import { careerFormPath } from '#web/domain/careers.ts';
import { saveCareer } from '#web/domain/career-form/save-career.ts';
import { useDraft } from '#web/domain/drafts.ts';
import { countryName } from '#contract/country-name.ts';
import { useUser } from '#web/domain/root-data.ts';
import { toastFailure } from '#web/domain/use-action.ts';
import { callApi } from '#web/platform/api.ts';
import { useFocusLater } from '#web/platform/use-focus-later.ts';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { toast } from '#web/ui/toasts.ts';
import { useLazyComponent } from '#web/ui/use-lazy-component.ts';
import { describePosition } from './career-section.tsx';

/** Saves changes to the user’s career, then reloads the profile. */
export function useCareerChanges() {
  const uid = useUser()?.uid ?? '';
  const { revalidate } = useRevalidator();
  const focusLater = useFocusLater();
  const [isBusy, setIsBusy] = useState(false);

  async function run(change: () => Promise<unknown>, done?: string): Promise<void> {
    setIsBusy(true);
    try {
      await change();
      if (done !== undefined) toast('success', done);
    } catch (error) {
      toastFailure(error);
    }
    // The pressed button disappears.
    focusLater('#content');
    await revalidate();
    setIsBusy(false);
  }

  return {
    isBusy,
    run,
    save: (career: OwnCareer) => run(() => saveCareer(callApi, uid, career), 'Saved'),
    dismiss: () => run(() => callApi('POST /api/users/{id}/career/dismissal', { params: { id: uid } })),
  };
}

/** Asks where the owner of the profile is now, or whether imported work is right. */
export function CareerCard({ career }: { career: OwnCareer }) {
  const { isBusy, run, save, dismiss } = useCareerChanges();
  const focusLater = useFocusLater();
  const form = useLazyComponent(() => import('#web/domain/career-form/career-form.tsx'));
  useDraft('career-card', form.open);
  const confirmed = career.positions.filter(({ confirmedOn }) => confirmedOn !== null);
  const imported = [
    ...career.positions.filter((position) => !confirmed.includes(position)).map(describePosition),
    ...(career.isPlaceConfirmed ? [] : [[career.city, countryName(career.country)].filter(Boolean).join(', ')]),
  ];
  const withoutImported = {
    ...career,
    positions: confirmed,
    ...(!career.isPlaceConfirmed && { city: '', cityId: null, country: '' }),
  };
  return (
    <section
      aria-labelledby="career-question"
      className={`needs-scripts grid gap-x-8 gap-y-4 mt-6 border-y border-line py-4 bleed print:hidden ${form.Part ? '' : 'lg:grid-cols-[1fr_auto] lg:items-center'}`}
    >
      <div>
        {/* No heading, because a profile has exactly the specified sections. */}
        <p id="career-question" className="text-lg font-bold">
          Where are you now?
        </p>
        <p suppressHydrationWarning className="max-w-[66ch] wrap-anywhere">
          {imported.length > 0 ? (
            <>
              The university’s records say: <strong suppressHydrationWarning>{imported.join('; ')}</strong>. Show this
              on your profile?
            </>
          ) : (
            'Your work and your city help your classmates find you.'
          )}
        </p>
      </div>
      {form.Part ? (
        <form.Part
          career={career}
          onSaved={() => run(() => Promise.resolve(), 'Saved')}
          onDismiss={() => void dismiss()}
        />
      ) : (
        <div className="flex flex-wrap gap-3">
          {imported.length > 0 ? (
            <>
              <Button disabled={isBusy} onClick={() => void save(career)}>
                Show it
              </Button>
              <ButtonLink variant="quiet" to={careerFormPath}>
                Change
              </ButtonLink>
            </>
          ) : (
            <Button
              variant="quiet"
              onClick={() => {
                focusLater('[aria-labelledby=career-question] input');
                form.open();
              }}
            >
              Add where you are
            </Button>
          )}
          <span className="-ml-4 flex flex-wrap sm:ml-0 lg:-mr-4">
            {imported.length > 0 && (
              <Button variant="bare" disabled={isBusy} onClick={() => void save(withoutImported)}>
                Remove
              </Button>
            )}
            <Button variant="bare" disabled={isBusy} onClick={() => void dismiss()}>
              Not now
            </Button>
          </span>
        </div>
      )}
    </section>
  );
}
