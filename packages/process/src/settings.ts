import { z } from 'zod';

export { z };

/** Settings that every process takes. */
export const processSettings = {
  BIND_HOST: z.string().default('127.0.0.1'),
  /** Private port for /livez, /readyz and /metrics. */
  ADMIN_PORT: port(0),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
};

/**
 * Settings of processes that speak gRPC with others. Several comma-separated secrets may be given while
 * one replaces another: the first is sent, all are accepted.
 */
export const grpcSettings = {
  SERVICE_SECRET: secrets(),
};

export function port(defaultPort: number) {
  return z.coerce.number().int().min(0).max(65_535).default(defaultPort);
}

const MIN_SECRET_BYTES = 16;

/** Comma-separated secrets, each of at least 16 bytes: an empty entry would let everybody in. */
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

/** A time of at most a day: a timer of more than 24 days fires at once. */
export const timerMs = () => z.coerce.number().int().min(1).max(86_400_000);

export const milliseconds = (defaultMs: number) => timerMs().default(defaultMs);

/** Comma-separated `host:port` list. */
export function addresses() {
  return z
    .string()
    .min(1)
    .transform((value) => value.split(',').map((address) => address.trim()));
}

/** In `PUBLIC_API_URL`: the API is reached at the address at which a call arrived. Only for a gateway on one machine. */
const AT_CONNECTION = 'connection';

/** Origin of the API as callers reach it; undefined for `connection`, which `npm start` sets. */
export function publicApiUrl() {
  return z.union([
    z.literal(AT_CONNECTION).transform(() => undefined),
    z.url({ protocol: /^https?$/ }).transform((url) => new URL(url).origin),
  ]);
}

export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(`invalid settings:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/** Parses the environment; every problem is reported at once, by setting name and without its value. */
export function readConfig<T extends z.ZodRawShape>(
  shape: T,
  env: NodeJS.ProcessEnv,
): z.output<z.ZodObject<T>> {
  // An empty setting means an absent one, as in compose files.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const result = z.object(shape).safeParse(given);
  if (result.success) return result.data;
  throw new ConfigError(result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
}
