import { StrictMode } from 'react';
import { renderToString } from 'react-dom/server';
import {
  createStaticHandler,
  createStaticRouter,
  isRouteErrorResponse,
  RouterContextProvider,
  type StaticHandlerContext,
  StaticRouterProvider,
} from 'react-router';
import type { PageRequest, Rendered, RenderPage } from '#contract/page.ts';
import { withFormActions } from '#web/app/form-actions.ts';
import { routes } from '#web/app/routes.tsx';
import { type RootData, rootId } from '#web/domain/root-data.ts';
import { paths } from '#web/domain/paths.ts';
import { listBarColors } from '#web/domain/theme.ts';
import { loaderServices } from '#web/platform/loader-services.ts';
import { type PageState, pageStateId } from '#web/platform/page-state.ts';
import { isPageHandle, titleOf } from '#web/platform/page-handle.ts';
import { hasMainStylesOnly } from '#web/platform/styles.ts';
import { setWords } from '#web/platform/words.ts';

const handler = createStaticHandler(withFormActions(routes));

export const render: RenderPage = async (page) => {
  const { request, call, institution, reportError } = page;
  let user: ReturnType<typeof fetchUser> | undefined;
  const fetchUser = () => call('GET /api/identity/session').then((session) => session.user);
  const requestContext = new RouterContextProvider(
    new Map([[loaderServices, { call, user: () => (user ??= fetchUser()), institution }]]),
  );
  const context = await handler.query(request, { requestContext });
  if (context instanceof Response) {
    return { kind: 'redirect', status: context.status, location: context.headers.get('location') ?? '/' };
  }

  // Error boundaries do not work in `renderToString`, so errors are passed to the root's boundary explicitly.
  const withError = (error: unknown): StaticHandlerContext => {
    const failure = reportError(error);
    return { ...context, statusCode: failure.status, errors: { [rootId]: failure } };
  };
  const unexpected = Object.values(context.errors ?? {}).find((error) => !hasErrorPage(error));
  if (unexpected !== undefined) return draw(withError(unexpected), page);
  try {
    return draw(context, page);
  } catch (error) {
    return draw(withError(error), page);
  }
};

const hasErrorPage = (error: unknown) => isRouteErrorResponse(error) && [404, 503].includes(error.status);

function draw(context: StaticHandlerContext, { assets, institution, request }: PageRequest): Rendered {
  setWords(institution.words);
  const router = createStaticRouter(handler.dataRoutes, context);
  const body = renderToString(
    <StrictMode>
      <StaticRouterProvider router={router} context={context} hydrate={false} />
    </StrictMode>,
  );
  const matches = context.matches.map(({ route }) => ({
    handle: route.handle as unknown,
    data: context.loaderData[route.id] as unknown,
  }));
  const last = matches.findLast((match) => isPageHandle(match.handle));
  const page = isPageHandle(last?.handle) ? last.handle : null;
  const isPublic =
    typeof page?.isPublic === 'function' ? last?.data !== undefined && page.isPublic(last.data) : page?.isPublic;
  const scripts = page?.feature ? assets.listScripts(`web/features/${page.feature}/pages.ts`) : [];
  // A failure needs more, and so does the form of the filters, which is part of the dashboard only without JavaScript.
  const hasOwnStyles =
    page?.feature !== undefined &&
    hasMainStylesOnly(page.feature) &&
    context.statusCode === 200 &&
    !new URL(request.url).searchParams.has('filters');
  const allStyles = hasOwnStyles ? '' : assets.allStyles;
  const { user, theme = 'system' } = (context.loaderData[rootId] ?? {}) as Partial<RootData>;
  const title = escape(titleOf(matches, institution.abbreviation));
  const siteDescription = `The archive of students and graduates of ${institution.name}.`;
  const description = escape((last?.data !== undefined && page?.description?.(last.data)) || siteDescription);
  const html = `<!doctype html>
<html lang="en" data-theme="${theme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="description" content="${description}">${page?.description ? `<meta property="og:title" content="${title}"><meta property="og:description" content="${description}">` : ''}
${isPublic ? '' : '<meta name="robots" content="noindex">'}
<script>${assets.earlyScript}</script>
<noscript><style>${hiddenWithoutScripts}</style></noscript>
${listBarColors(theme).map(toThemeColor).join('')}
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<style>${assets.styles}</style>${allStyles && `<style data-all>${allStyles}</style>`}${assets.head ?? ''}
${scripts.map((url) => `<link rel="modulepreload" href="${url}">`).join('')}
</head>
<body><div id="root">${body}</div>${user ? signOutForm : ''}${toDataBlock(context)}<script type="module" src="${assets.entry}"></script></body>
</html>
`;
  const inline = {
    scripts: [assets.earlyScript],
    styles: [hiddenWithoutScripts, assets.styles, allStyles].filter(Boolean),
  };
  return { kind: 'page', status: context.statusCode, html, inline };
}

const toThemeColor = ({ media, color }: ReturnType<typeof listBarColors>[number]) =>
  `<meta name="theme-color" media="${media}" content="${color}">`;

/**
 * Returns the loaders' data for hydration as a data block. Browsers do not execute it, so the Content Security Policy
 * does not need to allow it. Of an unexpected error, it contains only what the error page shows.
 */
function toDataBlock({ loaderData, actionData, errors }: StaticHandlerContext): string {
  const state: PageState = { loaderData, actionData, errors };
  // `<` could end the element.
  return `<script type="application/json" id="${pageStateId}">${JSON.stringify(state).replaceAll('<', '\\u003c')}</script>`;
}

const hiddenWithoutScripts = '[type=button]:not([popovertarget]),.needs-scripts,.scripted [type=submit]{display:none}';

/** Signs out immediately, because the confirmation dialog needs JavaScript. */
const signOutForm = `<noscript><form method="post" action="${paths.login}" class="p-4 text-center"><button class="link" name="intent" value="sign-out">Logout</button></form></noscript>`;

const escape = (text: string) => text.replaceAll(/[&<>"]/gu, (character) => `&#${character.codePointAt(0)};`);
