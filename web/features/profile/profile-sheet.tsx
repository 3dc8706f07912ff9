import { Icon } from '../../ui/icon.tsx';
import type { ReactNode } from 'react';
import { useLocation } from 'react-router';
import { Link } from '../../platform/link.tsx';
import type { Profile } from '#contract/profile.ts';
import { type ProfileField, type VisibilityChoices, getEffectiveAudience } from '#contract/visibility.ts';
import { paths, withParam } from '../../domain/paths.ts';
import { dayAndMonth, fullName, initials, tintOf } from '../../domain/people.ts';
import { useUser } from '../../domain/root-data.ts';

interface Props {
  profile: Profile;
  /** Audience of each field. Only set when owners look at their own profile. */
  visibility?: VisibilityChoices;
  /** Actions below the name, such as writing a message. */
  actions?: ReactNode;
  footer?: ReactNode;
}

/** Shows all profile fields that the viewer may see. Fields without a value have no row. */
export function ProfileSheet({ profile, visibility, actions, footer }: Props) {
  const { academic, social } = profile;
  const { admitted, graduated } = academic.year;
  const createRow = (field: ProfileField, label: string, value: ReactNode): Row => ({ field, label, value });
  const sections: { title: string; rows: Row[] }[] = [
    {
      title: 'About',
      rows: [
        createRow('interest', 'Interest', profile.interest),
        createRow('bio', 'Short bio', profile.bio),
        createRow(
          'fullBio',
          'Full bio',
          profile.fullBio && <span className="block max-w-[66ch] whitespace-pre-line">{profile.fullBio}</span>,
        ),
      ],
    },
    {
      title: 'Academic',
      rows: [
        createRow(
          'matricNumber',
          'Matric number',
          academic.matricNumber && <span className="nums">{academic.matricNumber}</span>,
        ),
        createRow('college', 'College', academic.college),
        createRow('department', 'Department', academic.department),
        createRow('program', 'Program', academic.program),
        createRow('yearAdmitted', 'Year admitted', admitted),
        createRow('yearGraduated', 'Year graduated', graduated),
      ],
    },
    {
      title: 'Personal',
      rows: [
        createRow('otherNames', 'Other names', profile.name.other),
        createRow(
          'title',
          'Title',
          profile.title && <span className="inline-block first-letter:uppercase">{profile.title}</span>,
        ),
        createRow(
          'gender',
          'Gender',
          profile.gender && <span className="inline-block first-letter:uppercase">{profile.gender}</span>,
        ),
        createRow('dob', 'Birthday', profile.dob && <span className="nums">{dayAndMonth(profile.dob)}</span>),
      ],
    },
    {
      title: 'Contact',
      rows: [
        createRow(
          'contactNumber',
          'Contact number',
          profile.contactNumber && (
            <a className="link" href={`tel:${profile.contactNumber.replaceAll(/[^+\d]/gu, '')}`}>
              {profile.contactNumber}
            </a>
          ),
        ),
        createRow(
          'email',
          'Email',
          profile.email && (
            <a className="link wrap-anywhere" href={`mailto:${profile.email}`}>
              {profile.email}
            </a>
          ),
        ),
        createRow(
          'homeAddress',
          'Home address',
          profile.homeAddress && <span className="whitespace-pre-line">{profile.homeAddress}</span>,
        ),
      ],
    },
    {
      title: 'Social',
      rows: [
        createRow('xHandle', 'X', social.x && <Handle name={social.x} site="https://x.com/" />),
        createRow(
          'facebookName',
          'Facebook',
          social.facebook && <Handle name={social.facebook} site="https://www.facebook.com/" />,
        ),
        createRow(
          'linkedinName',
          'LinkedIn',
          social.linkedin && <Handle name={social.linkedin} site="https://www.linkedin.com/in/" />,
        ),
      ],
    },
  ];
  return (
    <article>
      <ProfileHeader profile={profile} actions={actions} />
      <div className="mx-auto grid max-w-5xl gap-6 px-4 pb-12 lg:grid-cols-2 lg:items-start lg:px-8">
        {sections.map(({ title, rows }, index) => (
          <Section key={title} title={title} rows={rows} visibility={visibility} isWide={index === 0} />
        ))}
        <SignInHint />
        {footer && <div className="lg:col-span-2">{footer}</div>}
      </div>
    </article>
  );
}

/** Shows the top of a profile: portrait, name, title, program and years. */
function ProfileHeader({ profile, actions }: Pick<Props, 'profile' | 'actions'>) {
  const { academic, title } = profile;
  const { admitted, graduated } = academic.year;
  const name = fullName(profile.name);
  const years = [admitted, graduated].filter(Boolean).join(' – ');
  const study = [academic.program, academic.department].filter(Boolean).join(', ');
  return (
    <header>
      <div className="h-28 bg-wash lg:h-40" />
      <div className="mx-auto -mt-16 grid max-w-5xl gap-x-6 gap-y-3 px-4 pb-6 sm:grid-cols-[auto_1fr] lg:px-8">
        <Portrait src={profile.imgURL} name={name} />
        <div className="grid content-end gap-1.5 sm:pt-16">
          <h1 className="text-2xl leading-tight font-bold wrap-anywhere">
            {title && (
              <span className="mr-2 inline-block text-base font-medium text-ink-soft first-letter:uppercase">
                {title}
              </span>
            )}
            {name}
          </h1>
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1.5 text-sm text-ink-soft">
            <span className="font-semibold text-brand">{profile.schoolLabel}</span>
            {study && <span>{study}</span>}
            {years && (
              <span className="rounded-full bg-gold px-2.5 py-0.5 font-semibold text-gold-ink nums">{years}</span>
            )}
            <span>{profile.label}</span>
          </p>
          {actions}
        </div>
      </div>
    </header>
  );
}

function Portrait({ src, name }: { src: string | null; name: string }) {
  const frameClass = 'aspect-[4/5] w-32 rounded-card border-4 border-raised floating lg:w-44';
  if (src === null) {
    return (
      <span
        aria-hidden="true"
        className={`tint tint-${tintOf(name)} grid place-items-center text-3xl font-bold ${frameClass}`}
      >
        {initials(name)}
      </span>
    );
  }
  return (
    <img
      src={src}
      alt={`Portrait of ${name}`}
      width="384"
      height="480"
      className={`bg-line object-cover ${frameClass}`}
    />
  );
}

interface Row {
  field: ProfileField;
  label: string;
  value: ReactNode;
}

function Section({
  title,
  rows,
  visibility,
  isWide,
}: {
  title: string;
  rows: Row[];
  visibility: VisibilityChoices | undefined;
  isWide: boolean;
}) {
  const shown = rows.filter(({ value }) => value !== undefined && value !== '');
  if (shown.length === 0) return null;
  return (
    <section className={`rounded-card border border-line bg-raised p-5 ${isWide ? 'lg:col-span-2' : ''}`}>
      <h2 className="mb-3 text-lg font-bold">{title}</h2>
      <dl className="grid gap-x-6 gap-y-3 sm:grid-cols-[9rem_1fr]">
        {shown.map(({ field, label, value }) => (
          <div key={field} className="contents">
            <dt className="text-sm text-ink-soft sm:pt-0.5">{label}</dt>
            <dd className="-mt-2 flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 wrap-anywhere sm:mt-0">
              <span className="min-w-0">{value}</span>
              {visibility && <AudienceBadge field={field} visibility={visibility} />}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Marks a field that not everyone can see with a lock. Only owners see the lock, on their own profile. */
function AudienceBadge({ field, visibility }: { field: ProfileField; visibility: VisibilityChoices }) {
  const audience = getEffectiveAudience(field, visibility);
  if (audience === 'everyone') return null;
  return (
    <span className="inline-flex items-center gap-1 rounded-full bg-wash px-2 py-0.5 text-xs font-medium text-ink-soft">
      <Icon name="lock" className="size-3" />
      {audience === 'members' ? 'Members only' : 'Only you'}
    </span>
  );
}

/** Links a user name to its site, but only if it is a plain handle: user input must never choose the site that opens. */
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

/** Informs guests that members can see more, without naming the fields. */
function SignInHint() {
  const user = useUser();
  const { pathname } = useLocation();
  if (user !== null) return null;
  return (
    <p className="rounded-card border border-brand-line bg-wash p-4 lg:col-span-2">
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
