import { useLoaderData, useRevalidator } from 'react-router';
import { paths, withParam } from '../../domain/paths.ts';
import { Link } from '../../platform/link.tsx';
import { useHydrated } from '../../platform/use-hydrated.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import type { IconName } from '../../ui/icon-names.ts';
import { DeleteAccount } from './delete-account.tsx';
import { EditInformation } from './edit-information.tsx';
import { NotificationChoices } from './notification-choices.tsx';
import { Privacy } from './privacy.tsx';
import { NewTerms } from './new-terms.tsx';
import type { Section, SettingsData, WithTerms } from './settings-data.ts';
import { Security } from './security.tsx';

const sections: { section: Section; label: string; icon: IconName; to: string }[] = [
  { section: 'information', label: 'Edit Information', icon: 'user-round', to: paths.settings },
  { section: 'privacy', label: 'Privacy', icon: 'eye', to: withParam(paths.settings, 'section', 'privacy') },
  { section: 'security', label: 'Security', icon: 'lock', to: withParam(paths.settings, 'section', 'security') },
  {
    section: 'notifications',
    label: 'Notifications',
    icon: 'bell',
    to: withParam(paths.settings, 'section', 'notifications'),
  },
  { section: 'delete', label: 'Delete Account', icon: 'trash', to: withParam(paths.settings, 'section', 'delete') },
];

/** Shows the settings: a menu on the left and the chosen section beside it (specification, section 2). */
export function SettingsPage() {
  const { terms, ...data } = useLoaderData<SettingsData & WithTerms>();
  const isLive = useHydrated();
  // Edits of stored values before hydration would be lost.
  const holdsValues = data.section !== 'security' && data.section !== 'delete';
  return (
    <div className="page grid max-w-5xl gap-6 lg:grid-cols-[220px_1fr]">
      <div className="min-w-0">
        <h1 className="mb-4 text-xl font-bold lg:text-2xl">Settings</h1>
        <nav aria-label="Settings" className="grid grid-cols-2 gap-1 lg:grid-cols-1">
          {sections.map(({ section, label, icon, to }) => (
            <Link
              key={section}
              to={to}
              aria-current={data.section === section ? 'page' : undefined}
              className="flex min-h-11 shrink-0 items-center gap-3 rounded-control px-2 text-sm font-medium text-ink-soft sm:px-3 sm:text-base hover:bg-wash hover:text-ink aria-[current=page]:bg-wash aria-[current=page]:font-semibold aria-[current=page]:text-brand aria-[current=page]:marked"
            >
              <Icon name={icon} className="size-5 max-sm:hidden" />
              {label}
            </Link>
          ))}
        </nav>
      </div>
      <fieldset className="scripted min-w-0" disabled={!isLive && holdsValues}>
        <noscript>
          <p className="mb-6 rounded-card border border-brand-line bg-wash p-4">
            You need JavaScript to change your settings. This page shows your current settings. Turn on JavaScript in
            your browser and reload this page.
          </p>
        </noscript>
        <NewTerms accepted={terms} />
        {data.section === 'information' && <EditInformation key={data.profile.id} {...data} />}
        {data.section === 'privacy' && <Privacy {...data} />}
        {data.section === 'security' && <Security {...data} />}
        {data.section === 'notifications' && <NotificationChoices choices={data.choices} />}
        {data.section === 'delete' && <DeleteAccount />}
        {data.section === 'failed' && <Failure code={data.code} />}
      </fieldset>
    </div>
  );
}

/** Shows the error for settings that do not load, in the words of the specification (section 8). */
function Failure({ code }: { code: string }) {
  const { revalidate, state } = useRevalidator();
  return (
    <div role="alert" className="grid justify-items-start gap-3 rounded-card border border-danger bg-danger-soft p-5">
      <p className="font-semibold text-danger">ERROR::{code}</p>
      <Button look="quiet" busy={state === 'loading' && 'Loading...'} onClick={() => void revalidate()}>
        TRY AGAIN
      </Button>
    </div>
  );
}
