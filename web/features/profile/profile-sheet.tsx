import { Icon } from '#web/ui/icon.tsx';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import type { Profile } from '#contract/profile.ts';
import { type FormField, extraFields, readExtra, shortLabelOf } from '#contract/profile-fields.ts';
import { type Audience, type ProfileField, type VisibilityChoices, audienceFieldOf } from '#contract/visibility.ts';
import { paths, withParam } from '#web/domain/paths.ts';
import { formatBirthday, dayAndMonth } from '#web/domain/people.ts';
import { useUser } from '#web/domain/root-data.ts';
import { reword } from '#web/platform/words.ts';
import { AudienceNote, Choices, SectionAudience, useCommonAudience } from './audience-note.tsx';
import { type CareerActions, CareerSection } from './career-section.tsx';
import { Classmates } from './classmates.tsx';
import { ProfileHeader } from './profile-header.tsx';
import { sectionHeading } from './section-heading.ts';

interface Props {
  profile: Profile;
  visibility?: VisibilityChoices;
  /** Whether owners see what another audience sees, which includes no other people. */
  isPreview?: boolean;
  actions?: ReactNode;
  question?: ReactNode;
  footer?: ReactNode;
  career?: CareerActions;
}

export function ProfileSheet({ profile, visibility, isPreview = false, actions, question, footer, career }: Props) {
  return (
    <Choices value={visibility ?? null}>
      <article>
        <ProfileHeader profile={profile} isPreview={isPreview} actions={actions} />
        {question}
        <div className="page grid gap-x-12 gap-y-8 lg:grid-cols-[1fr_clamp(18rem,35%,23rem)] lg:grid-rows-[auto_1fr] 2xl:grid-cols-[1fr_49rem] print:grid-cols-[3fr_2fr] print:gap-x-8">
          <div className="grid content-start gap-6">
            <About profile={profile} />
            <CareerSection profile={profile} {...career} />
            <SignInHint />
          </div>
          <div className="grid content-start gap-x-12 gap-y-6 sm:grid-cols-2 lg:row-span-2 lg:grid-cols-1 2xl:grid-cols-2 print:grid-cols-1">
            {listFacts(profile).map(({ title, rows }) => (
              <Facts key={title} title={title} rows={rows} />
            ))}
            {footer && <div className="col-span-full">{footer}</div>}
          </div>
          {!isPreview && <Classmates key={profile.id} profile={profile} />}
        </div>
      </article>
    </Choices>
  );
}

function About({ profile: { interest, bio, fullBio } }: Pick<Props, 'profile'>) {
  if (!interest && !bio && !fullBio) return null;
  return (
    <section className="grid gap-3">
      <div className={`${sectionHeading} flex flex-wrap justify-between gap-x-3`}>
        <h2>About</h2>
        {fullBio && <AudienceNote field="fullBio" of="Full bio" />}
      </div>
      {bio && (
        <Beside field="bio">
          <p className="max-w-[50ch] text-lg leading-snug font-semibold lg:text-xl wrap-anywhere">{bio}</p>
        </Beside>
      )}
      {fullBio && <p className="max-w-[66ch] wrap-anywhere whitespace-pre-line">{fullBio}</p>}
      {interest && (
        <Beside field="interest">
          <p className="max-w-[66ch] wrap-anywhere">
            <span className="text-ink-soft">Interests:</span> {interest}
          </p>
        </Beside>
      )}
    </section>
  );
}

const Beside = ({
  field,
  usual,
  children,
}: {
  field: ProfileField;
  usual?: Audience | null | undefined;
  children: ReactNode;
}) => (
  <div className="flex flex-wrap items-center justify-between gap-x-1">
    <div className="min-w-0 wrap-anywhere">{children}</div>
    <AudienceNote field={field} usual={usual} />
  </div>
);

interface Row {
  field: ProfileField;
  label: string;
  value: ReactNode;
}

const asFirstWord = (value: string) => <span className="inline-block first-letter:uppercase">{value}</span>;

function listFacts(profile: Profile): { title: string; rows: Row[] }[] {
  const { academic, social } = profile;
  const createRow = (field: FormField | 'email', value: ReactNode): Row => ({
    field: field === 'email' ? field : audienceFieldOf(field),
    label: field === 'email' ? 'Email' : reword(shortLabelOf(field)),
    value,
  });
  return [
    {
      title: 'Academic',
      rows: [
        createRow('department', academic.department),
        createRow('program', academic.program),
        createRow('college', academic.college),
        createRow('yearAdmitted', academic.year.admitted),
        createRow('yearGraduated', academic.year.graduated),
        createRow('matricNumber', academic.matricNumber && <span className="nums">{academic.matricNumber}</span>),
      ],
    },
    {
      title: 'Personal',
      rows: [
        createRow('title', profile.title && asFirstWord(profile.title)),
        ...extraFields.map((field) => createRow(field, readExtra(profile, field))),
        createRow('gender', profile.gender && asFirstWord(profile.gender)),
        createRow(
          'dob',
          // The specification shows day/month (section 3).
          profile.dob && (
            <time className="nums" title={formatBirthday(profile.dob)}>
              {dayAndMonth(profile.dob)}
            </time>
          ),
        ),
      ],
    },
    {
      title: 'Contact',
      rows: [
        createRow(
          'contactNumber',
          profile.contactNumber && (
            <a className="link" href={`tel:${profile.contactNumber.replaceAll(/[^+\d]/gu, '')}`}>
              {profile.contactNumber}
            </a>
          ),
        ),
        createRow(
          'email',
          profile.email && (
            <a className="link wrap-anywhere" href={`mailto:${profile.email}`}>
              {profile.email.replace(/@.*/u, '@')}
              {/* A long address breaks here. */}
              <wbr />
              {profile.email.replace(/.*@/u, '')}
            </a>
          ),
        ),
        createRow(
          'homeAddress',
          profile.homeAddress && <span className="whitespace-pre-line">{profile.homeAddress}</span>,
        ),
      ],
    },
    {
      title: 'Social',
      rows: [
        createRow('xHandle', social.x && <Handle name={social.x} site="https://x.com/" />),
        createRow(
          'facebookName',
          social.facebook && <Handle name={social.facebook} site="https://www.facebook.com/" />,
        ),
        createRow(
          'linkedinName',
          social.linkedin && <Handle name={social.linkedin} site="https://www.linkedin.com/in/" />,
        ),
      ],
    },
  ];
}

function Facts({ title, rows }: { title: string; rows: Row[] }) {
  const shown = rows.filter(({ value }) => Boolean(value));
  const usual = useCommonAudience(shown.map(({ field }) => field));
  if (shown.length === 0) return null;
  return (
    <section>
      <div className={`${sectionHeading} mb-2 flex justify-between`}>
        <h2>{title}</h2>
        <SectionAudience audience={usual} />
      </div>
      <dl className="grid grid-cols-[7rem_1fr] gap-x-3 gap-y-1.5 text-sm print:gap-x-2">
        {shown.map(({ field, label, value }) => (
          <div key={field} className="contents">
            <dt className="text-ink-soft">{label}</dt>
            <dd className="min-w-0">
              <Beside field={field} usual={usual}>
                {value}
              </Beside>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Only a plain handle becomes a link: user input must never choose the site that opens. */
function Handle({ name, site }: { name: string; site: string }) {
  if (!/^[\w.-]+$/u.test(name)) return name;
  return (
    <a
      className="link inline-flex items-center gap-1 wrap-anywhere"
      href={site + name}
      rel="noopener noreferrer nofollow"
      target="_blank"
    >
      {name}
      <Icon name="external-link" className="size-3.5 shrink-0" />
      <span className="sr-only">(opens another site)</span>
    </a>
  );
}

/** Does not name the fields that members can see. */
function SignInHint() {
  const user = useUser();
  const { pathname } = useLocation();
  if (user !== null) return null;
  return (
    <p className="border-l-4 border-brand-line py-1 pl-4 print:hidden">
      Members can see more.{' '}
      <Link className="link" to={withParam(paths.login, 'from', pathname)}>
        Sign in
      </Link>{' '}
      or{' '}
      <Link className="link" to={paths.signUp}>
        sign up
      </Link>
      .
    </p>
  );
}
