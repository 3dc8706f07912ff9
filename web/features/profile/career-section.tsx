import { Link } from 'react-router';
import { helpLabels } from '#contract/career-values.ts';
import type { Position } from '#contract/careers.ts';
import type { Profile } from '#contract/profile.ts';
import { countryName } from '#contract/country-name.ts';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { helpRequests } from './ask-for-help.ts';
import { AudienceNote, SectionAudience, useCommonAudience } from './audience-note.tsx';
import { sectionHeading } from './section-heading.ts';

export interface CareerActions {
  /** For the owner: the page of the form. */
  readonly editPath?: string;
  /** For the owner: confirms the positions. Null while it runs. */
  readonly onConfirm?: (() => void) | null;
  /** How help offers are shown: as buttons to those who can write to the person. */
  readonly helps?: 'text' | 'buttons' | 'none';
}

const monthFormat = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' });
const listFormat = new Intl.ListFormat('en-GB');
const confirmedForMs = 365 * 24 * 60 * 60 * 1000;

export const describePosition = ({ role, employer }: Pick<Position, 'role' | 'employer'>): string =>
  [role, employer].filter(Boolean).join(', ');

function describeTime({ from, to }: Position): string {
  if (to !== null) return from === null || from === to ? `until ${to}` : `${from} to ${to}`;
  return from === null ? '' : `since ${from}`;
}

const isOutdated = ({ to, confirmedOn }: Position): boolean =>
  to === null && confirmedOn !== null && Date.now() - Date.parse(confirmedOn) > confirmedForMs;

export function CareerSection({
  profile: { career },
  editPath,
  onConfirm,
  helps: helpStyle = 'text',
}: CareerActions & { profile: Pick<Profile, 'career'> }) {
  const { positions = [], city, country, helps = [] } = career ?? {};
  const usual = useCommonAudience(['positions', 'city', 'country', 'helps']);
  const shownHelps = helpStyle === 'none' ? [] : helps;
  if (positions.length === 0 && country === undefined && shownHelps.length === 0) return null;
  return (
    <section className="grid content-start gap-2">
      <div className={`${sectionHeading} flex justify-between`}>
        <h2>Career</h2>
        <SectionAudience audience={usual} />
      </div>
      {positions.length > 0 && (
        <ul className="grid gap-2">
          {positions.map((position, index) => (
            // A person can have had the same position twice.
            // oxlint-disable-next-line react/no-array-index-key
            <li key={index} className="wrap-anywhere">
              <span className={position.to === null ? 'font-semibold' : ''}>{describePosition(position)}</span>
              {describeTime(position) && <span className="text-ink-soft nums"> · {describeTime(position)}</span>}{' '}
              {index === 0 && <AudienceNote field="positions" usual={usual} />}
              {position.to === null && position.confirmedOn !== null && (
                <div className="flex flex-wrap items-center gap-x-3 text-sm text-ink-soft">
                  Confirmed {monthFormat.format(new Date(position.confirmedOn))}
                  {onConfirm !== undefined && isOutdated(position) && (
                    <Button
                      variant="quiet"
                      className="mt-1 px-2.5!"
                      disabled={onConfirm === null}
                      onClick={onConfirm ?? undefined}
                    >
                      Still correct
                    </Button>
                  )}
                </div>
              )}
            </li>
          ))}
        </ul>
      )}
      {country !== undefined && (
        <p className="wrap-anywhere">
          <span className="text-ink-soft">Lives in</span> {city !== undefined && `${city}, `}
          <span suppressHydrationWarning>{countryName(country)}</span> <AudienceNote field="country" usual={usual} />
        </p>
      )}
      {shownHelps.length > 0 &&
        (helpStyle === 'buttons' ? (
          <p className="mt-1 flex flex-wrap gap-2 print:hidden">
            {shownHelps.map((help) => (
              <ButtonLink key={help} variant="quiet" to={`?write=${help}`} preventScrollReset>
                {helpRequests[help].label}
              </ButtonLink>
            ))}
          </p>
        ) : (
          <p>
            <span className="text-ink-soft">Willing to help with</span>{' '}
            {listFormat.format(shownHelps.map((help) => helpLabels[help].toLowerCase()))}{' '}
            <AudienceNote field="helps" usual={usual} />
          </p>
        ))}
      {editPath !== undefined && (
        <Link className="link inline-flex min-h-11 items-center justify-self-start" to={editPath}>
          Edit career details
        </Link>
      )}
    </section>
  );
}
