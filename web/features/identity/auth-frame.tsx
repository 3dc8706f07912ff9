import type { ReactNode } from 'react';
import { paths } from '../../domain/paths.ts';
import { useRootData } from '../../domain/root-data.ts';
import { AuthLayout } from '../../ui/auth-layout.tsx';

interface Props {
  heading: string;
  subtitle?: ReactNode;
  children: ReactNode;
  logoTo?: string;
}

/** The auth layout with this archive's name in it. */
export function AuthFrame({ logoTo = paths.home, ...rest }: Props) {
  const { institution } = useRootData();
  return <AuthLayout logoTo={logoTo} logoLabel={`${institution.abbreviation} alumni archive`} {...rest} />;
}
