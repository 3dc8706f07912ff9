import { useEffect, useRef } from 'react';
import { useLoaderData, useRevalidator } from 'react-router';
import { paths, withParam } from '../../domain/paths.ts';
import { useUser } from '../../domain/root-data.ts';
import { Link } from '../../platform/link.tsx';
import { useHydrated } from '../../platform/use-hydrated.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import type { IconName } from '../../ui/icon-names.ts';
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

/**
 * Shows the settings: a menu on the left and the chosen section beside it (specification, section 2). On phones the menu is its own
 * screen, at the URL without a section, and each section links back to it.
 */
export function SettingsPage() {
  const { terms, chosen, ...data } = useLoaderData<SettingsData & WithFrame>();
  const isLive = useHydrated();
  useFocusOnNewScreen(chosen);
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
        <div className={`min-w-0 lg:sticky lg:top-22 lg:self-start ${chosen === null ? '' : 'max-lg:hidden'}`}>
          <MenuTitle className="mb-4 text-xl font-bold lg:text-2xl">Settings</MenuTitle>
          <nav aria-label="Settings" className="grid max-lg:-mx-4 lg:gap-1">
            {listed.map((section) => (
              <Link
                key={section}
                to={withParam(paths.settings, 'section', section)}
                aria-current={(chosen ?? 'information') === section ? 'page' : undefined}
                className={`${row} ${section === 'delete' ? 'mt-8 text-danger! lg:mt-4' : 'lg:text-ink-soft'}`}
              >
                <Icon name={sections[section].icon} className="size-5" />
                {sections[section].label}
                <Icon name="chevron-down" className="ml-auto size-5 -rotate-90 text-ink-soft lg:hidden" />
              </Link>
            ))}
          </nav>
        </div>
        <fieldset
          className={`scripted min-w-0 ${chosen === null ? 'max-lg:hidden' : ''}`}
          disabled={!isLive && holdsValues}
        >
          <Link to={paths.settings} className="link -mt-2 inline-flex min-h-11 items-center gap-1 lg:hidden">
            <Icon name="chevron-down" className="-ml-1 size-5 rotate-90" />
            Settings
          </Link>
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

const row =
  'flex min-h-14 items-center gap-4 border-t border-line px-4 font-medium last:border-b hover:bg-wash lg:min-h-11 lg:gap-3 lg:rounded-control lg:border-0! lg:px-3 lg:hover:text-ink lg:aria-[current=page]:bg-wash lg:aria-[current=page]:font-semibold lg:aria-[current=page]:text-brand lg:aria-[current=page]:marked';

/** Moves the focus to the heading when another section opens and the followed link is hidden, as on phones. */
function useFocusOnNewScreen(chosen: Section | null): void {
  const last = useRef(chosen);
  useEffect(() => {
    if (last.current === chosen) return;
    last.current = chosen;
    const heading = document.querySelector('h1');
    if (!heading || (document.activeElement !== document.body && document.activeElement?.checkVisibility())) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }, [chosen]);
}

/** Shows the error for settings that do not load, in the words of the specification (section 8). */
function Failure({ code }: { code: string }) {
  const { revalidate, state } = useRevalidator();
  return (
    <div role="alert" className="flex flex-wrap items-center justify-between gap-3 border-y border-line py-3">
      <p className="font-semibold text-danger">ERROR::{code}</p>
      <Button look="quiet" busy={state === 'loading' && 'Loading...'} onClick={() => void revalidate()}>
        TRY AGAIN
      </Button>
    </div>
  );
}
