import { Resolver } from 'node:dns';
import { z } from 'zod';

export { z };

/** Settings of every process. */
export const processSettings = {
  BIND_HOST: z.string().default('127.0.0.1'),
  /** Private port for /livez, /readyz and /metrics. */
  ADMIN_PORT: port(0),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
};

/** Settings of processes that call others over gRPC. */
export const discoverySettings = {
  /** DNS servers that are asked for the addresses of peers, comma-separated `address[:port]`; absent: those of the system. */
  DNS_SERVERS: dnsServers(),
  /** Where this process runs. Instances of peers in the same zone are preferred, if their zones are known. */
  ZONE: z.string().optional(),
};

/** Settings of services that sign or encrypt what they hand to clients and get back. */
export const signingSettings = {
  /** The first signs, all are accepted. */
  SIGNING_SECRET: secrets().optional(),
};

/** Returns the signing secrets. @param settings with `SERVICE_SECRET` of the release before, which signed then */
export function signingSecrets(settings: {
  readonly SIGNING_SECRET?: readonly string[] | undefined;
  readonly SERVICE_SECRET?: readonly string[] | undefined;
}): readonly string[] {
  const found = settings.SIGNING_SECRET ?? settings.SERVICE_SECRET;
  if (!found) throw new SettingsError(['SIGNING_SECRET: required']);
  return found;
}

export function port(defaultPort: number) {
  return z.coerce.number().int().min(0).max(65_535).default(defaultPort);
}

const MIN_SECRET_BYTES = 16;

/** Comma-separated secrets of at least 16 bytes each. An empty entry would authenticate every caller. */
export function secrets() {
  return z.string().transform((value, context) => {
    const entries = value.split(',');
    for (const [at, entry] of entries.entries()) {
      if (Buffer.byteLength(entry) >= MIN_SECRET_BYTES) continue;
      const problem = entry === '' ? 'is empty' : `is shorter than ${MIN_SECRET_BYTES} bytes`;
      const message = `entry ${at + 1} of ${entries.length} ${problem}`;
      context.addIssue({ code: 'custom', message });
    }
    return entries;
  });
}

/** A duration of at most one day, because a timer of more than 24 days fires immediately. */
export const timerMs = () => z.coerce.number().int().min(1).max(86_400_000);

export const milliseconds = (defaultMs: number) => timerMs().default(defaultMs);

const HOST_AND_PORT = /^(\[[0-9a-f:.]+\]|[^\s:/[\]]+):\d{1,5}$/i;
const SRV_NAME = /^srv:\/\/[^\s:/]+$/;
const KUBERNETES_SERVICE = /^k8s:\/\/[a-z0-9-]+\/[a-z0-9-]+:[a-z0-9-]+$/;

/**
 * Comma-separated list: `host:port`, `srv://name` for the hosts and ports of SRV records, or `k8s://namespace/service:port`, where
 * the port is a number or a name, for the endpoints of a service.
 */
export function addresses() {
  return commaSeparated().refine(
    (entries) => entries.every(isPeerAddress),
    'not a list of host:port, srv://name or k8s://namespace/service:port',
  );
}

export function commaSeparated() {
  return z
    .string()
    .min(1)
    .transform((value) => value.split(',').map((entry) => entry.trim()));
}

/** Name of a cell other than `home`. In names of settings it is upper-case. */
export function cellName() {
  return z
    .string()
    .regex(
      /^(?!home$)[a-z][a-z0-9]{0,30}$/,
      'not a cell: a lower-case letter, then up to 30 of them and digits; not home',
    );
}

function isPeerAddress(entry: string): boolean {
  return HOST_AND_PORT.test(entry) || SRV_NAME.test(entry) || KUBERNETES_SERVICE.test(entry);
}

function dnsServers() {
  return commaSeparated()
    .refine((servers) => servers.every(isDnsServer), 'not a list of IP addresses, each with an optional port')
    .default([]);
}

function isDnsServer(server: string): boolean {
  try {
    new Resolver().setServers([server]);
    return true;
  } catch {
    return false;
  }
}

/** Value of `PUBLIC_API_URL` that uses the address to which a client connected. Only for a gateway on one machine. */
const AT_CONNECTION = 'connection';

/** Origin of the API as clients reach it; undefined for `connection`, which `npm start` sets. */
export function publicApiUrl() {
  return z.union([
    z.literal(AT_CONNECTION).transform(() => undefined),
    z.url({ protocol: /^https?$/ }).transform((url) => new URL(url).origin),
  ]);
}

export class SettingsError extends Error {
  constructor(problems: readonly string[]) {
    super(`invalid settings:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'SettingsError';
  }
}

/** Parses the environment; reports every invalid setting at once, by name and without its value. */
export function parseEnv<T extends z.ZodRawShape>(
  shape: T,
  env: NodeJS.ProcessEnv,
): z.output<z.ZodObject<T>> {
  // An empty setting counts as absent, as in compose files.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const result = z.object(shape).safeParse(given);
  if (result.success) return result.data;
  throw new SettingsError(result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
}
