import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Profile } from '#contract/profile.ts';
import { useIsOwnClass } from '#web/domain/own-class.ts';
import { paths } from '#web/domain/paths.ts';
import { fullName, initials, longestWord, tintOf } from '#web/domain/people.ts';
import { useUser } from '#web/domain/root-data.ts';
import { AudienceNote } from './audience-note.tsx';

interface Props {
  profile: Profile;
  isPreview: boolean;
  actions: ReactNode;
}

export function ProfileHeader({ profile, isPreview, actions }: Props) {
  const { academic, title } = profile;
  const { department } = academic;
  const { graduated } = academic.year;
  const isOwn = useUser()?.uid === profile.id;
  const isOwnClass = useIsOwnClass()(department, graduated);
  // Other people see gold only if they are in the class.
  const isGold = !isPreview && (isOwn || isOwnClass);
  const name = fullName(profile.name);
  return (
    <header className="relative">
      <div className={`absolute inset-x-0 top-0 h-24 [print-color-adjust:exact] ${isGold ? 'bg-gold' : 'bg-wash'}`} />
      <div className="relative grid grid-cols-[auto_1fr] grid-rows-[6rem_auto] gap-x-4 edge lg:gap-x-8 xl:grid-cols-[auto_1fr_auto]">
        <Portrait src={profile.imgURL} name={name} />
        <div className={`min-w-0 self-end pb-3 xl:col-span-2 ${isGold ? 'text-gold-ink' : 'text-brand'}`}>
          {graduated !== undefined && (
            <ClassLink department={department} year={graduated}>
              <span className="text-lg lg:text-xl">Class of </span>
              <span className="text-[3.25rem] lg:text-[4rem]">{graduated}</span>
            </ClassLink>
          )}
        </div>
        <div className="grid content-start gap-1.5 pt-3">
          <h1 className={`leading-tight font-bold wrap-anywhere hyphens-auto lg:text-3xl ${sizeOf(name)}`}>
            {title && (
              <span className="mr-1.5 inline-block text-base font-medium text-ink-soft first-letter:uppercase lg:text-lg">
                {title}
              </span>
            )}
            {name}
          </h1>
          {department && <p className="text-ink-soft lg:text-lg">{department}</p>}
          <p className="text-sm text-ink-soft labels">
            <span>{profile.schoolLabel}</span> <span>{profile.label}</span>
          </p>
        </div>
        {actions && (
          <div className="col-span-full pt-4 md:col-start-2 xl:col-start-3 xl:max-w-92 xl:pt-3 print:hidden">
            {actions}
          </div>
        )}
      </div>
    </header>
  );
}

function sizeOf(name: string): string {
  const letters = longestWord(name);
  return letters <= 15 ? 'text-xl' : letters <= 18 ? 'text-lg' : letters <= 21 ? 'text-base' : 'text-sm';
}

/** Rendered only if the viewer sees both facts that the URL needs. */
function ClassLink({
  department,
  year,
  children,
}: {
  department: string | undefined;
  year: number;
  children: ReactNode;
}) {
  const look = 'year';
  return department === undefined ? (
    <span className={look}>{children}</span>
  ) : (
    <Link to={paths.classOf(department, year)} className={`${look} rounded-control hover:underline`}>
      {children}
    </Link>
  );
}

function Portrait({ src, name }: { src: string | null; name: string }) {
  const frameClass = 'aspect-[4/5] w-28 border-3 border-b-0 border-surface print-shape md:w-40 lg:w-44';
  return (
    <div className="row-span-2 pt-6 md:row-span-3 lg:pt-8 xl:row-span-2">
      {src === null ? (
        <span
          aria-hidden="true"
          className={`tint tint-${tintOf(name)} grid place-items-center text-3xl font-bold ${frameClass}`}
        >
          {initials(name)}
        </span>
      ) : (
        <img
          src={src}
          srcSet={`${src.replace('/384.', '/192.')} 192w, ${src} 384w`}
          // As on cards: phones load the smaller picture.
          sizes="(min-width: 64rem) 11rem, 6rem"
          // Otherwise the scripts delay it by seconds on a slow network.
          fetchPriority="high"
          alt={`Portrait of ${name}`}
          width="384"
          height="480"
          className={`bg-line object-cover ${frameClass}`}
        />
      )}
      <AudienceNote field="picture" />
    </div>
  );
}
