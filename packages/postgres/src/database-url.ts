import pg from 'pg';

const AUTHORITY = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]+)(.*)$/s;
/** These encrypt without verifying the server in other clients, and in later versions of pg. */
const WEAK_MODES = /([?&]sslmode=)(?:allow|prefer|require|verify-ca)(?=&|$)/g;
/** Not known to pg: whether the connection is to a PgBouncer. */
const PGBOUNCER = /[?&]pgbouncer=true(?=&|$)/;

/**
 * Returns a connection string for each server of a URL such as `postgres://user@host1,host2:5433/database`. Every `sslmode` but
 * `disable` becomes `verify-full`. @throws Error if TLS would be used without verifying the server
 */
export function serverUrls(url: string): [string, ...string[]] {
  const urls = splitHosts(url.replaceAll(WEAK_MODES, '$1verify-full'));
  for (const one of urls) refuseUnverified(one);
  return urls;
}

/** Returns the URL for the hosts of `original`. */
export function withHostsOf(original: string, url: string): string {
  const hosts = AUTHORITY.exec(original)?.[2];
  return hosts === undefined
    ? url
    : url.replace(AUTHORITY, (_, start, __, rest) => `${start}${hosts}${rest}`);
}

export const isPgBouncer = (url: string): boolean => PGBOUNCER.test(url);

/**
 * Returns the URL for connections that receive notifications.
 * @throws Error if there is only one of a PgBouncer, which accepts LISTEN but would never forward a notification
 */
export function directUrl(settings: {
  readonly DATABASE_URL: string;
  readonly DATABASE_DIRECT_URL?: string | undefined;
}): string {
  const url = settings.DATABASE_DIRECT_URL ?? settings.DATABASE_URL;
  if (isPgBouncer(url))
    throw new Error('with pgbouncer=true, DATABASE_DIRECT_URL must be the URL of the server itself');
  return url;
}

function splitHosts(url: string): [string, ...string[]] {
  const [, start, hosts, rest] = AUTHORITY.exec(url) ?? [];
  const [first = '', ...others] = hosts?.split(',') ?? [];
  if (others.length === 0) return [url];
  return [`${start}${first}${rest}`, ...others.map((host) => `${start}${host}${rest}`)];
}

function refuseUnverified(url: string): void {
  const { ssl } = new pg.Client({ connectionString: url }) as unknown as {
    ssl: boolean | { rejectUnauthorized?: boolean; checkServerIdentity?: unknown };
  };
  if (typeof ssl === 'object' && (ssl.rejectUnauthorized === false || ssl.checkServerIdentity))
    throw new Error('the database URL uses TLS without verifying the server: use sslmode=verify-full');
}
