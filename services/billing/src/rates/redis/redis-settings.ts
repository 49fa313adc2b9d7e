import {
  type Credentials,
  commaSeparated,
  SettingsError,
  type TlsFiles,
  tlsFileProblems,
  unreadableFiles,
  z,
} from '@gateway/process';

/** Settings of the Redis for rates. At most one of REDIS_URL, REDIS_SENTINELS and REDIS_CLUSTER; none: no rate limits. */
export const redisSettings = {
  /** One server: `redis://` or, with TLS, `rediss://`. */
  REDIS_URL: z.url({ protocol: /^rediss?$/ }).optional(),
  /** Sentinels that name the primary. */
  REDIS_SENTINELS: commaSeparated().optional(),
  REDIS_SENTINEL_MASTER: z.string().default('mymaster'),
  REDIS_SENTINEL_USERNAME: z.string().optional(),
  REDIS_SENTINEL_PASSWORD: z.string().optional(),
  REDIS_SENTINEL_PASSWORD_FILE: z.string().optional(),
  /** Some nodes of a cluster, from which the others are discovered. */
  REDIS_CLUSTER: commaSeparated().optional(),
  /** Login at the servers; REDIS_URL may contain it instead. */
  REDIS_USERNAME: z.string().optional(),
  REDIS_PASSWORD: z.string().optional(),
  REDIS_PASSWORD_FILE: z.string().optional(),
  /** For Sentinels and the servers that they name, or for a cluster. */
  REDIS_TLS: z.enum(['on', 'off']).default('off'),
  /** PEM of the authority that signed the servers' certificates. Absent: the authorities that Node trusts. */
  REDIS_CA_FILE: z.string().optional(),
  /** PEM of the client's certificate and key, for servers that require one. */
  REDIS_CERTIFICATE_FILE: z.string().optional(),
  REDIS_KEY_FILE: z.string().optional(),
};

type Settings = z.output<z.ZodObject<typeof redisSettings>>;

export interface RedisAddress {
  readonly host: string;
  readonly port: number;
}

/** How to reach the servers. */
export type RedisTarget =
  | { readonly kind: 'server'; readonly address: RedisAddress; readonly database: number }
  | {
      readonly kind: 'sentinel';
      readonly sentinels: readonly RedisAddress[];
      readonly master: string;
      readonly credentials: Credentials;
    }
  | { readonly kind: 'cluster'; readonly nodes: readonly RedisAddress[] };

export interface RedisOptions {
  readonly target: RedisTarget;
  readonly credentials: Credentials;
  /** Absent: not encrypted. */
  readonly tls?: TlsFiles;
}

const PORT = 6379;
const SENTINEL_PORT = 26_379;
const TARGETS = ['REDIS_URL', 'REDIS_SENTINELS', 'REDIS_CLUSTER'] as const;

/**
 * Returns the Redis that the settings describe; undefined if there is none.
 * @throws SettingsError if they contradict each other, or name a file that can't be read
 */
export function redisOptions(settings: Settings): RedisOptions | undefined {
  const problems = problemsOf(settings);
  if (problems.length > 0) throw new SettingsError(problems);
  const { REDIS_URL, REDIS_SENTINELS, REDIS_CLUSTER } = settings;
  const url = REDIS_URL === undefined ? undefined : new URL(REDIS_URL);
  const target = url ? serverTarget(url) : targetOf(REDIS_SENTINELS, REDIS_CLUSTER, settings);
  if (!target) return undefined;
  return {
    target,
    credentials: {
      username: fromUrl(url?.username) ?? settings.REDIS_USERNAME,
      password: fromUrl(url?.password) ?? settings.REDIS_PASSWORD,
      passwordFile: settings.REDIS_PASSWORD_FILE,
    },
    ...(isEncrypted(settings, url) && { tls: tlsFilesOf(settings) }),
  };
}

const serverTarget = (url: URL): RedisTarget => ({
  kind: 'server',
  address: { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(url.port || PORT) },
  database: Number(url.pathname.slice(1)),
});

function targetOf(
  sentinels: readonly string[] | undefined,
  nodes: readonly string[] | undefined,
  settings: Settings,
): RedisTarget | undefined {
  if (nodes) return { kind: 'cluster', nodes: nodes.map((node) => toAddress(node, PORT)) };
  if (!sentinels) return undefined;
  return {
    kind: 'sentinel',
    sentinels: sentinels.map((sentinel) => toAddress(sentinel, SENTINEL_PORT)),
    master: settings.REDIS_SENTINEL_MASTER,
    credentials: {
      username: settings.REDIS_SENTINEL_USERNAME,
      password: settings.REDIS_SENTINEL_PASSWORD,
      passwordFile: settings.REDIS_SENTINEL_PASSWORD_FILE,
    },
  };
}

/** `host:port`, where the host may be an IPv6 address in brackets. */
function toAddress(text: string, defaultPort: number): RedisAddress {
  const [, ipv6, name = text, port] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(text) ?? [];
  return { host: ipv6 ?? name, port: Number(port ?? defaultPort) };
}

const fromUrl = (part: string | undefined) => (part ? decodeURIComponent(part) : undefined);

function problemsOf(settings: Settings): string[] {
  const targets = TARGETS.filter((name) => settings[name] !== undefined);
  if (targets.length > 1) return [`${targets.join(', ')}: only one of them`];
  const [target] = targets;
  if (!target) return [];
  const problems: string[] = [];
  const url = settings.REDIS_URL === undefined ? undefined : new URL(settings.REDIS_URL);
  if (url && !/^(\/\d*)?$/.test(url.pathname))
    problems.push('REDIS_URL: the path is not the number of a database');
  if (url && settings.REDIS_TLS === 'on') problems.push('REDIS_TLS: use rediss:// in REDIS_URL');
  if ((url?.username || url?.password) && hasLogin(settings))
    problems.push('REDIS_URL: contains a login, but REDIS_USERNAME or REDIS_PASSWORD is set too');
  return [...problems, ...passwordProblems(settings), ...tlsProblems(settings, url)];
}

const hasLogin = ({ REDIS_USERNAME, REDIS_PASSWORD, REDIS_PASSWORD_FILE }: Settings) =>
  [REDIS_USERNAME, REDIS_PASSWORD, REDIS_PASSWORD_FILE].some((one) => one !== undefined);

function passwordProblems(settings: Settings): string[] {
  const { REDIS_PASSWORD_FILE, REDIS_SENTINEL_PASSWORD_FILE } = settings;
  const problems = unreadableFiles({ REDIS_PASSWORD_FILE, REDIS_SENTINEL_PASSWORD_FILE });
  if (settings.REDIS_PASSWORD !== undefined && REDIS_PASSWORD_FILE !== undefined)
    problems.push('REDIS_PASSWORD, REDIS_PASSWORD_FILE: only one of them');
  if (settings.REDIS_SENTINEL_PASSWORD !== undefined && REDIS_SENTINEL_PASSWORD_FILE !== undefined)
    problems.push('REDIS_SENTINEL_PASSWORD, REDIS_SENTINEL_PASSWORD_FILE: only one of them');
  return problems;
}

function tlsProblems(settings: Settings, url: URL | undefined): string[] {
  const needed = url ? 'REDIS_URL: must be rediss://' : 'REDIS_TLS: must be on';
  return tlsFileProblems('REDIS', tlsFilesOf(settings), isEncrypted(settings, url) ? undefined : needed);
}

const isEncrypted = ({ REDIS_TLS }: Settings, url: URL | undefined): boolean =>
  url ? url.protocol === 'rediss:' : REDIS_TLS === 'on';

const tlsFilesOf = ({ REDIS_CA_FILE, REDIS_CERTIFICATE_FILE, REDIS_KEY_FILE }: Settings): TlsFiles => ({
  ca: REDIS_CA_FILE,
  certificate: REDIS_CERTIFICATE_FILE,
  key: REDIS_KEY_FILE,
});
