import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { isRedirectToastKey, redirectToasts } from '#web/domain/redirect-toasts.ts';
import { paths } from '#web/domain/paths.ts';
import { useRootData } from '#web/domain/root-data.ts';
import { AuthLayout } from '#web/ui/auth-layout.tsx';

interface Props {
  heading: string;
  subtitle?: ReactNode;
  children: ReactNode;
  logoTo?: string;
}

export function AuthFrame({ logoTo = paths.home, children, ...rest }: Props) {
  const toastKey = useSearchParams()[0].get('toast');
  const { institution } = useRootData();
  return (
    <AuthLayout logoTo={logoTo} logoLabel={`${institution.abbreviation} alumni archive`} {...rest}>
      {/* With JavaScript, a toast shows this text. */}
      {isRedirectToastKey(toastKey) && (
        <noscript>
          <p role="status">{redirectToasts[toastKey].text}</p>
        </noscript>
      )}
      {children}
    </AuthLayout>
  );
}
