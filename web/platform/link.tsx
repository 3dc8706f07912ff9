import type { ComponentProps, MouseEvent } from 'react';
import { useHref, useLinkClickHandler, useLocation } from 'react-router';
import { keepScroll } from './use-scroll.ts';

export interface LinkProps extends Omit<ComponentProps<'a'>, 'href'> {
  /** A path of our own, with its query. */
  to: string;
  /** Stay where one is on the page. */
  keepsScroll?: boolean;
}

/**
 * A link that goes to its address without loading a new page. Made of the router's own hooks: its `Link` brings 3 KB for
 * a mode of it that we do not use (docs/decisions/0006-first-page-size.md).
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

/** A link that says when it leads to where one is: by `aria-current`, which styles can follow. */
export function NavLink(props: LinkProps) {
  const { pathname } = useLocation();
  return <Link {...props} aria-current={pathname === props.to ? 'page' : undefined} />;
}
