import type { ComponentProps, MouseEvent } from 'react';
import { useHref, useLinkClickHandler, useLocation } from 'react-router';
import { keepScroll } from './use-scroll.ts';

export interface LinkProps extends Omit<ComponentProps<'a'>, 'href'> {
  /** A path on this site, with its query. */
  to: string;
  /** Whether the page keeps its scroll position after navigation. */
  keepsScroll?: boolean;
}

/**
 * Renders a link that navigates without loading a new document. It uses the router's hooks, because the router's own `Link` adds
 * 3 KB for a mode that this site does not use (docs/decisions/0006-first-page-size.md).
 */
export function Link({ to, keepsScroll = false, onClick, children, ...rest }: LinkProps) {
  const follow = useLinkClickHandler(to, keepsScroll ? { state: keepScroll } : {});
  const click = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    if (!event.defaultPrevented) follow(event);
  };
  return (
    <a {...rest} href={useHref(to)} onClick={click}>
      {children}
    </a>
  );
}

/** Renders a link that sets `aria-current` on the current page, for screen readers and styles. */
export function NavLink(props: LinkProps) {
  const { pathname } = useLocation();
  return <Link {...props} aria-current={pathname === props.to ? 'page' : undefined} />;
}
