import type { ReactNode } from 'react';
import { Link } from '../platform/link.tsx';
import { CampusScene } from './campus-scene.tsx';
import { Mark } from './logo.tsx';

interface Props {
  /** The path that the logo links to. */
  logoTo: string;
  logoLabel: string;
  heading: string;
  subtitle?: ReactNode;
  children: ReactNode;
  /** Whether large screens show a picture on the right half. */
  hero?: boolean;
}

/** Renders the layout of the sign-in pages (specification, section 2). The content is at most 400 px wide (section 9). */
export function AuthLayout({ logoTo, logoLabel, heading, subtitle, children, hero = true }: Props) {
  return (
    <div className="grid min-h-dvh bg-raised lg:grid-cols-2">
      <div className="flex flex-col px-5 py-6 sm:px-8">
        <header className="self-start">
          <Link to={logoTo} className="flex items-center gap-3 rounded-control font-bold">
            <Mark />
            {logoLabel}
          </Link>
        </header>
        <main className="mx-auto my-auto grid w-full max-w-[400px] gap-6 py-10">
          <header className="grid gap-2">
            <h1 className="text-2xl font-bold">{heading}</h1>
            {subtitle && <p className="text-ink-soft">{subtitle}</p>}
          </header>
          {children}
        </main>
      </div>
      {hero && (
        <div className="hidden bg-deep lg:block" aria-hidden="true">
          <CampusScene className="sticky top-0 h-dvh w-full" />
        </div>
      )}
    </div>
  );
}
