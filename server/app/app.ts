import type { IncomingMessage, ServerResponse } from 'node:http';
import compress from '@fastify/compress';
import cookie from '@fastify/cookie';
import fastify, { type FastifyInstance, LogController } from 'fastify';
import { createAuthorize } from '#server/domain/api/access.ts';
import { setUpCalls } from '#server/domain/api/mount.ts';
import type { Context } from '#server/domain/context.ts';
import { serializeWrites } from '#server/domain/serialize-writes.ts';
import { announcementRoutes } from '#server/features/announcements/routes.ts';
import { browserErrorRoutes } from '#server/features/browser-errors/routes.ts';
import { careerRoutes } from '#server/features/careers/routes.ts';
import { staffCareerRoutes } from '#server/features/careers/staff-routes.ts';
import { contactRoutes } from '#server/features/contact/routes.ts';
import { directoryRoutes } from '#server/features/directory/routes.ts';
import { galleryRoutes } from '#server/features/gallery/routes.ts';
import { identityRoutes } from '#server/features/identity/routes.ts';
import { membershipRoutes } from '#server/features/membership/routes.ts';
import { staffClaimRoutes } from '#server/features/membership/staff-routes.ts';
import { myDataRoutes } from '#server/features/my-data/routes.ts';
import { notificationRoutes } from '#server/features/notifications/routes.ts';
import { profileRoutes } from '#server/features/profile/routes.ts';
import { reportRoutes } from '#server/features/reports/routes.ts';
import { reviewRoutes } from '#server/features/review/routes.ts';
import { changeRoutes } from '#server/features/roster/change-routes.ts';
import { codeRoutes } from '#server/features/roster/code-routes.ts';
import { correctionRoutes } from '#server/features/roster/correction-routes.ts';
import { coverageRoutes } from '#server/features/roster/coverage-routes.ts';
import { invitationRoutes } from '#server/features/roster/invitation-routes.ts';
import { rosterRoutes } from '#server/features/roster/routes.ts';
import { searchRoutes } from '#server/features/search/routes.ts';
import { staffPeopleRoutes } from '#server/features/staff-people/routes.ts';
import { staffRoutes } from '#server/features/staff/routes.ts';
import { allMyData } from './my-data.ts';
import { allApprovedActions, allReviewables } from './staff.ts';
import { type Pages, pageRoutes, serveGuestPages } from './pages.ts';
import { brotliOptions, encodings, maxSyncBytes } from '#server/platform/http/compression.ts';
import { ignoreForeignCookies } from '#server/platform/http/cookies.ts';
import { clearOnWrites } from '#server/platform/http/response-cache.ts';
import { createClientErrors } from '#server/platform/http/client-errors.ts';
import { describeApi } from '#server/platform/http/api-description.ts';
import { healthRoutes } from '#server/platform/http/health.ts';
import { sendProblem, setUpHttp } from '#server/platform/http/set-up-http.ts';
import type { Log } from '#server/platform/log/log.ts';
import { registerAddressTurns } from '#server/platform/limits/address-turns.ts';
import { registerLoadShedding } from '#server/platform/limits/load-shedding.ts';
import { mediaRoutes } from '#server/platform/media/media-routes.ts';
import { outboxRoutes } from '#server/platform/mail/outbox-routes.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { metricsRoute } from '#server/platform/metrics/metrics-route.ts';
import { createRequestIdGenerator } from '#server/platform/http/request-id.ts';
import { createSecurityHeaders } from '#server/platform/http/security-headers.ts';
import { rewriteInvalidUrl } from '#server/platform/http/rewrite-invalid-url.ts';
import { logRequests } from '#server/platform/log/request-log.ts';
import { measureRequests, createSheddingCounter } from '#server/platform/metrics/request-metrics.ts';
import { robotsRoutes } from '#server/features/directory/robots.ts';
import { type StaticFiles, staticRoutes } from '#server/platform/http/static-routes.ts';

export type Web = {
  readonly pages: Pages;
  readonly files: StaticFiles | null;
  readonly middleware?: (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
} | null;

export async function createApp(context: Context, log: Log, web: Web): Promise<FastifyInstance> {
  const { config } = context;
  const securityHeaders = createSecurityHeaders(config.http.publicUrl.startsWith('https:'));
  const clientErrors = createClientErrors(securityHeaders);
  const app: FastifyInstance = fastify({
    clientErrorHandler: clientErrors.handle,
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: createRequestIdGenerator(config.http.trustProxy),
    trustProxy: config.http.trustProxy.length > 0 ? [...config.http.trustProxy] : false,
    // Schemas limit the length of parameters and produce the standard error response.
    routerOptions: { maxParamLength: Number.MAX_SAFE_INTEGER },
    rewriteUrl: ({ url = '/' }) => rewriteInvalidUrl(url),
    // Includes the body: long enough for a portrait from a slow phone, but not for a slow-body attack.
    requestTimeout: 120_000,
  });
  clientErrors.watch(app.server);
  // The API only accepts JSON. A few pages accept forms (`pages.ts`).
  app.removeContentTypeParser('text/plain');
  // Load shedding never applies to /metrics.
  metricsRoute(app, config, context.metrics);
  registerAddressTurns(app);
  const shed = createSheddingCounter(context.metrics);
  registerLoadShedding(app, {
    onShed: (reason) => shed.inc({ reason }),
    isLikelySignedIn: (request) => context.authentication.isKnown(request),
    headers: securityHeaders,
  });
  app.addHook('onRequest', (request, _, done) => {
    const { headers, routeOptions } = request;
    const mustLookUp = routeOptions.config.isGuestPage && headers.cookie !== undefined;
    if (!mustLookUp || context.authentication.isKnown(request)) return done();
    // Without the database, the request takes the usual way, which reports the error.
    context.authentication.ignoreUnknownSession(request).then(
      () => done(),
      () => done(),
    );
  });
  ignoreForeignCookies(app);
  serveGuestPages(app, context);
  await app.register(cookie);
  app.addHook('onRequest', ({ id }, reply, done) => {
    reply.headers(securityHeaders).header('x-request-id', id);
    done();
  });
  await app.register(compress, {
    threshold: 1_000,
    encodings,
    brotliOptions,
    syncThreshold: maxSyncBytes,
    globalDecompression: false,
  });
  describeApi(app);
  const { middleware } = web ?? {};
  if (middleware) app.addHook('onRequest', (request, reply, done) => middleware(request.raw, reply.raw, done));
  logRequests(app);
  measureRequests(app, context.metrics);
  context.shutdown.track(app);
  setUpHttp(app, config.http, context.metrics);
  setUpCalls(app, createAuthorize(context));

  // Before the hooks of writes: it changes no data.
  browserErrorRoutes(app, context);
  serializeWrites(app, context.authentication);
  clearOnWrites(app, context.guestPageCache);
  identityRoutes(app, context);
  directoryRoutes(app, context);
  profileRoutes(app, context);
  careerRoutes(app, context);
  searchRoutes(app, context);
  galleryRoutes(app, context);
  notificationRoutes(app, context);
  myDataRoutes(app, context, allMyData);
  contactRoutes(app, context);
  reportRoutes(app, context);
  rosterRoutes(app, context);
  changeRoutes(app, context);
  coverageRoutes(app, context);
  staffCareerRoutes(app, context);
  correctionRoutes(app, context);
  codeRoutes(app, context);
  staffRoutes(app, context, allApprovedActions);
  staffPeopleRoutes(app, context);
  reviewRoutes(app, context, allReviewables);
  await announcementRoutes(app, context);
  await invitationRoutes(app, context);
  staffClaimRoutes(app, context);
  // Any of these writes can add people to the lists, or remove them.
  await app.register(async (ofMembership) => {
    clearOnWrites(ofMembership, context.listCache);
    membershipRoutes(ofMembership, context);
  });

  healthRoutes(app, context);
  robotsRoutes(app, context.institution);
  outboxRoutes(app, config);
  mediaRoutes(app, context.media);
  if (web?.files) await staticRoutes(app, web.files);
  app.all('/api/*', { schema: { hide: true } }, async (_, reply) => sendProblem(reply, new ProblemError('not-found')));
  if (web) await pageRoutes(app, context, web.pages);
  app.setNotFoundHandler(async (_, reply) => sendProblem(reply, new ProblemError('not-found')));
  return app;
}
