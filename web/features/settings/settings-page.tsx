import { Link, useLoaderData, useRevalidator } from 'react-router';
import { paths, withParam } from '#web/domain/paths.ts';
import { useUser } from '#web/domain/root-data.ts';
import { useHydrated } from '#web/platform/use-hydrated.ts';
import { Button } from '#web/ui/button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import type { IconName } from '#web/ui/icon-names.ts';
import { Appearance } from './appearance.tsx';
import { Career } from './career.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { EditInformation } from './edit-information.tsx';
import { Membership } from './membership.tsx';
import { NotificationChoices } from './notification-choices.tsx';
import { Privacy } from './privacy.tsx';
import { NewTerms } from './new-terms.tsx';
import { type Section, type SettingsData, type WithFrame, sectionsOf } from './settings-data.ts';
import { Security } from './security.tsx';

const sections: Record<Section, { label: string; icon: IconName }> = {
  information: { label: 'Edit Information', icon: 'user-round' },
  career: { label: 'Career', icon: 'briefcase' },
  privacy: { label: 'Privacy', icon: 'eye' },
  security: { label: 'Security', icon: 'lock' },
  membership: { label: 'Membership', icon: 'check' },
  notifications: { label: 'Notifications', icon: 'bell' },
  appearance: { label: 'Appearance', icon: 'sun-moon' },
  delete: { label: 'Delete Account', icon: 'trash' },
};

/** The menu is at the left, and above the section where the screen is narrow (specification, section 2). */
export function SettingsPage() {
  const { terms, chosen, ...data } = useLoaderData<SettingsData & WithFrame>();
  const isLive = useHydrated();
  // Edits of stored values before hydration would be lost.
  const holdsValues = !['security', 'membership', 'delete'].includes(data.section);
  const user = useUser();
  const listed = user ? sectionsOf(user) : [];
  const Title = chosen === null ? 'h2' : 'h1';
  const MenuTitle = chosen === null ? 'h1' : 'p';
  return (
    <div className="page">
      <NewTerms accepted={terms} />
      <div className="grid gap-x-12 lg:grid-cols-[220px_minmax(0,1fr)]">
        <div className="min-w-0 lg:sticky lg:top-22 lg:self-start">
          {/* Quiet, because the title of the section is the larger one. */}
          <MenuTitle className="font-semibold text-ink-soft max-lg:sr-only lg:mb-3 lg:px-3">Settings</MenuTitle>
          <nav
            aria-label="Settings"
            className="grid grid-cols-2 gap-x-1 max-lg:mb-5 max-lg:border-b max-lg:border-line max-lg:pb-3 sm:grid-cols-4 lg:grid-cols-1 lg:gap-1"
          >
            {listed.map((section) => (
              <Link
                key={section}
                to={withParam(paths.settings, 'section', section)}
                aria-current={(chosen ?? 'information') === section ? 'page' : undefined}
                className="flex min-h-11 items-center gap-3 rounded-control px-3 leading-tight max-sm:gap-2.5 max-sm:px-2.5 max-sm:text-sm font-medium text-ink-soft hover:bg-wash hover:text-ink aria-[current=page]:bg-wash aria-[current=page]:font-semibold aria-[current=page]:text-brand aria-[current=page]:marked"
              >
                <Icon name={sections[section].icon} className="size-5 shrink-0" />
                {sections[section].label}
              </Link>
            ))}
          </nav>
        </div>
        <fieldset className="scripted min-w-0 lg:max-w-[37rem] 2xl:max-w-[56rem]" disabled={!isLive && holdsValues}>
          <Title className="mb-3 text-xl font-bold md:mb-5 lg:text-2xl">
            {sections[chosen ?? 'information'].label}
          </Title>
          <noscript>
            <p className="mb-6 rounded-card border border-brand-line bg-wash p-4">
              You need JavaScript to change your settings. This page shows your current settings. Turn on JavaScript in
              your browser and reload this page.
            </p>
          </noscript>
          <div>
            {data.section === 'information' && <EditInformation key={`${chosen} ${data.profile.id}`} {...data} />}
            {data.section === 'career' && <Career career={data.career} />}
            {data.section === 'privacy' && <Privacy {...data} />}
            {data.section === 'security' && <Security {...data} />}
            {data.section === 'membership' && <Membership membership={data.membership} />}
            {data.section === 'notifications' && <NotificationChoices choices={data.choices} />}
            {data.section === 'appearance' && <Appearance />}
            {data.section === 'delete' && <DeleteAccount />}
            {data.section === 'failed' && <Failure code={data.code} />}
          </div>
        </fieldset>
      </div>
    </div>
  );
}

/** In the words of the specification (section 8). */
function Failure({ code }: { code: string }) {
  const { revalidate, state } = useRevalidator();
  return (
    <div role="alert" className="flex flex-wrap items-center justify-between gap-3 border-y border-line py-3">
      <p className="font-semibold text-danger">ERROR::{code}</p>
      <Button variant="quiet" busy={state === 'loading' && 'Loading...'} onClick={() => void revalidate()}>
        TRY AGAIN
      </Button>
    </div>
  );
}
