import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { tokenTtlSeconds } from '#contract/durations.ts';
import type { Account } from '#server/domain/accounts/accounts.ts';
import type { Context } from '#server/domain/context.ts';
import { mount } from '#server/domain/api/mount.ts';
import { type SigningKey, openSigningKey } from '#server/platform/crypto/signing-key.ts';

/**
 * Adds the routes for tokens that another site of the university accepts (specification, section 7; D22 in
 * docs/conformance.md). The archive itself accepts none of them. Without `tokenSync`, adds none.
 */
export function tokenRoutes(app: FastifyInstance, { config, db, limiter }: Context): void {
  const { tokenSync, http, dataDir } = config;
  if (!tokenSync) return;
  let opening: Promise<SigningKey> | undefined;
  const openKey = () =>
    (opening ??= openSigningKey(dataDir).catch((error: unknown) => {
      // The next request tries again.
      opening = undefined;
      throw error;
    }));

  mount(app, 'POST /api/identity/token', async (_, { session: { account }, reply }) => {
    await limiter.requireAttempt(db, 'tokenByAccount', account.id);
    const token = await signToken(await openKey(), account, { issuer: http.publicUrl, audience: tokenSync.origin });
    // The token is sent in a header, because tokens are never part of JSON (identity rule 7).
    reply.header('x-auth-token', token);
  });

  app.get('/.well-known/jwks.json', { schema: { hide: true } }, async (_, reply) => {
    const { publicKey } = await openKey();
    return reply.header('cache-control', 'public, max-age=300').send({ keys: [publicKey] });
  });
}

async function signToken(
  { id, privateKey }: SigningKey,
  { id: uid, email, emailVerified, displayName }: Account,
  { issuer, audience }: { issuer: string; audience: string },
): Promise<string> {
  // Few installations need it.
  const { SignJWT, importJWK } = await import('jose');
  return new SignJWT({ email, email_verified: emailVerified, ...(displayName !== null && { name: displayName }) })
    .setProtectedHeader({ alg: 'EdDSA', kid: id, typ: 'JWT' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(uid)
    .setJti(randomUUID())
    .setIssuedAt()
    .setExpirationTime(`${tokenTtlSeconds}s`)
    .sign(await importJWK(privateKey, 'EdDSA'));
}
