import { Link, useLoaderData, useRevalidator } from 'react-router';
import { paths, withParam } from '#web/domain/paths.ts';
import { useUser } from '#web/domain/root-data.ts';
import { useHydrated } from '#web/platform/use-hydrated.ts';
import { Button } from '#web/ui/button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import type { IconName } from '#web/ui/icon-names.ts';
import { Appearance } from './appearance.tsx';
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
      <div className="grid max-w-[68rem] gap-x-12 lg:grid-cols-[220px_1fr]">
        <div className="min-w-0 lg:sticky lg:top-22 lg:self-start">
          {/* Quiet, because the title of the section is the larger one. */}
          <MenuTitle className="mb-2 font-semibold text-ink-soft lg:mb-3 lg:px-3">Settings</MenuTitle>
          <nav aria-label="Settings" className="mb-6 flex flex-wrap gap-1.5 lg:mb-0 lg:grid lg:gap-1">
            {listed.map((section) => (
              <Link
                key={section}
                to={withParam(paths.settings, 'section', section)}
                aria-current={(chosen ?? 'information') === section ? 'page' : undefined}
                className={entry}
              >
                <Icon name={sections[section].icon} className="size-5 max-lg:hidden" />
                {sections[section].label}
              </Link>
            ))}
          </nav>
        </div>
        <fieldset className="scripted min-w-0" disabled={!isLive && holdsValues}>
          <Title className="mb-5 text-xl font-bold lg:text-2xl">{sections[chosen ?? 'information'].label}</Title>
          <noscript>
            <p className="mb-6 rounded-card border border-brand-line bg-wash p-4">
              You need JavaScript to change your settings. This page shows your current settings. Turn on JavaScript in
              your browser and reload this page.
            </p>
          </noscript>
          {data.section === 'information' && <EditInformation key={`${chosen} ${data.profile.id}`} {...data} />}
          {data.section === 'privacy' && <Privacy {...data} />}
          {data.section === 'security' && <Security {...data} />}
          {data.section === 'membership' && <Membership membership={data.membership} />}
          {data.section === 'notifications' && <NotificationChoices choices={data.choices} />}
          {data.section === 'appearance' && <Appearance />}
          {data.section === 'delete' && <DeleteAccount />}
          {data.section === 'failed' && <Failure code={data.code} />}
        </fieldset>
      </div>
    </div>
  );
}

const entry =
  'flex min-h-11 items-center rounded-control px-2 font-medium text-ink-soft hover:bg-wash hover:text-ink max-lg:border max-lg:border-line-strong max-lg:text-sm lg:gap-3 lg:px-3 aria-[current=page]:bg-wash lg:aria-[current=page]:font-semibold aria-[current=page]:text-brand max-lg:aria-[current=page]:border-brand lg:aria-[current=page]:marked';

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
