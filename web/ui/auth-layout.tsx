import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { YearWall } from './year-wall.tsx';
import { Mark } from './logo.tsx';

interface Props {
  logoTo: string;
  logoLabel: string;
  heading: string;
  subtitle?: ReactNode;
  children: ReactNode;
}

/**
 * Shows a picture on the right half of large screens only (specification, section 2). The content is at most 400 px
 * wide (section 9), and starts at the left edge of the logo.
 */
export function AuthLayout({ logoTo, logoLabel, heading, subtitle, children }: Props) {
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-2">
      <div className="flex min-h-dvh flex-col px-4 sm:px-8">
        <header className="mx-auto w-full max-w-[400px] lg:pt-8">
          <Link to={logoTo} className="inline-flex h-16 items-center gap-3 rounded-control font-bold">
            <Mark className="size-9 rounded-lg" />
            {logoLabel}
          </Link>
        </header>
        {/* Not centred: messages would move the heading. */}
        <main className="mx-auto grid w-full max-w-[400px] gap-6 py-8 lg:pt-[max(2.5rem,14vh)]">
          <header className="grid gap-2">
            <h1 className="text-2xl font-bold">{heading}</h1>
            {subtitle && <p className="text-ink-soft">{subtitle}</p>}
          </header>
          {children}
        </main>
      </div>
      <div className="bg-deep max-lg:hidden" aria-hidden="true">
        <YearWall />
      </div>
    </div>
  );
}
