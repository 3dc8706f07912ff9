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
}

/**
 * Renders the layout of the sign-in pages (specification, section 2): a picture on the right half of large screens, or a strip of it at
 * the top of small ones. The content is at most 400 px wide (section 9), and starts at the left edge of the logo.
 */
export function AuthLayout({ logoTo, logoLabel, heading, subtitle, children }: Props) {
  return (
    <div className="relative min-h-dvh lg:grid lg:grid-cols-2">
      <div
        className="h-[clamp(7rem,30vw,11rem)] bg-deep max-lg:overflow-hidden lg:order-last lg:h-auto"
        aria-hidden="true"
      >
        <CampusScene className="h-[calc(100%+5vw)] w-full lg:sticky lg:top-0 lg:h-dvh" />
      </div>
      <div className="flex flex-col px-4 sm:px-8">
        <header className="absolute inset-x-4 top-0 mx-auto max-w-[400px] text-white sm:inset-x-8 lg:static lg:w-full lg:pt-8 lg:text-ink">
          <Link
            to={logoTo}
            className="inline-flex h-16 items-center gap-3 rounded-control font-bold max-lg:focus-visible:outline-white"
          >
            <Mark className="size-9 rounded-lg max-lg:border max-lg:border-on-deep-line" />
            {logoLabel}
          </Link>
        </header>
        <main className="mx-auto mb-auto grid w-full max-w-[400px] gap-6 py-8 lg:mt-auto lg:py-10">
          <header className="grid gap-2">
            <h1 className="text-2xl font-bold">{heading}</h1>
            {subtitle && <p className="text-ink-soft">{subtitle}</p>}
          </header>
          {children}
        </main>
      </div>
    </div>
  );
}
