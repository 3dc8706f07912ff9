import { useEffect, useRef } from 'react';
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
  const menu = useRef<HTMLElement>(null);
  // Before hydration, CSS scrolls the row of tabs to the current one.
  useEffect(() => {
    const current = menu.current?.querySelector<HTMLElement>('[aria-current]');
    if (!menu.current || !current) return;
    menu.current.scrollLeft = current.offsetLeft - (menu.current.clientWidth - current.offsetWidth) / 2;
  }, [chosen]);
  return (
    <div className="page">
      <NewTerms accepted={terms} />
      <div className="grid gap-x-12 lg:grid-cols-[220px_minmax(0,37rem)] 2xl:grid-cols-[220px_minmax(0,56rem)]">
        <div className="min-w-0 lg:sticky lg:top-22 lg:self-start">
          {/* Quiet on wide screens, because the title of the section is the larger one. */}
          <MenuTitle className="text-xl font-bold lg:mb-3 lg:px-3 lg:text-base lg:font-semibold lg:text-ink-soft">
            Settings
          </MenuTitle>
          <nav ref={menu} aria-label="Settings" className={tabs}>
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
          {/* On narrow screens, the current tab shows it. */}
          <Title className="text-2xl font-bold max-lg:sr-only lg:mb-5">{sections[chosen ?? 'information'].label}</Title>
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

/** One row that scrolls sideways where the screen is narrow. A tab cut off at the edge shows that there are more. */
const tabs =
  'relative mb-5 lg:mb-0 lg:grid lg:gap-1 max-lg:-mx-4 max-lg:flex max-lg:overflow-x-auto max-lg:gap-6 max-lg:pr-6 max-lg:pl-4 max-lg:[mask:linear-gradient(90deg,#0000,#000_1rem_calc(100%-1.5rem),#0000)] max-lg:shadow-[inset_0_-1px_var(--color-line)] max-lg:[scrollbar-width:none]';

const entry =
  'flex min-h-11 items-center font-medium text-ink-soft hover:text-ink aria-[current=page]:font-semibold aria-[current=page]:text-brand lg:gap-3 lg:rounded-control lg:px-3 lg:hover:bg-wash lg:aria-[current=page]:bg-wash lg:aria-[current=page]:marked max-lg:min-h-12 max-lg:shrink-0 max-lg:border-b-3 max-lg:border-transparent max-lg:pt-0.75 max-lg:-outline-offset-3 max-lg:aria-[current=page]:border-brand max-lg:aria-[current=page]:[scroll-initial-target:nearest]';

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
