import type pg from 'pg';

export function urlOf({ host, port, user, password, database }: pg.PoolConfig): string {
  const url = new URL('postgres://localhost');
  url.username = user ?? '';
  url.password = typeof password === 'string' ? password : '';
  url.pathname = `/${database ?? ''}`;
  if (host?.startsWith('/')) url.searchParams.set('host', host);
  else url.hostname = host ?? 'localhost';
  if (port) url.port = String(port);
  return url.href;
}
