import { readCells } from '@gateway/call-billing/cell-settings';
import {
  addresses,
  discoverySettings,
  milliseconds,
  parseEnv,
  port,
  processSettings,
  SettingsError,
  z,
} from '@gateway/process';
import { trustSettings } from '@gateway/rpc';
import proxyaddr from 'proxy-addr';

const MIB = 1024 * 1024;
const MAX_LAME_DUCK_MS = 600_000;
const count = (fallback: number) => z.coerce.number().int().min(1).default(fallback);
const list = () =>
  z
    .string()
    .default('')
    .transform((value) =>
      value
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== ''),
    );
/** A test for membership in a list of addresses and CIDR networks; a network of every address is refused. */
const networks = () =>
  list().transform((entries, context) => {
    for (const [index, entry] of entries.entries()) {
      if (isNetwork(entry)) continue;
      context.addIssue({ code: 'custom', path: [index], message: 'neither an address nor a network' });
      return z.NEVER;
    }
    return proxyaddr.compile(entries);
  });

/** Origins as browsers send them, or `*` for every one. */
const origins = () =>
  list()
    .refine((entries) => entries.every((entry) => entry === '*' || ORIGIN.test(entry)), 'not an origin')
    .transform((entries): ReadonlySet<string> => new Set(entries));
const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^\s/?#]+$/;

function isNetwork(entry: string): boolean {
  try {
    proxyaddr.compile(entry);
    return true;
  } catch {
    return false;
  }
}

const shape = {
  ...processSettings,
  ...trustSettings('edge'),
  ...discoverySettings,
  EDGE_API_PORT: port(8080),
  /** Unused when API and dashboard are separated by host. */
  EDGE_DASHBOARD_PORT: port(8081),
  /** Several edges of one machine listen on the same ports. Linux only. */
  EDGE_REUSE_PORT: z.enum(['on', 'off']).default('off'),
  EDGE_API_HOSTS: list(),
  EDGE_DASHBOARD_HOSTS: list(),
  EDGE_TRUSTED_PROXIES: networks(),
  /** Of `Strict-Transport-Security`, behind a trusted proxy that ends TLS; 0: not sent. */
  EDGE_HSTS_MAX_AGE_S: z.coerce.number().int().min(0).default(31_536_000),
  /** Of pages whose scripts may call the API. */
  EDGE_CORS_ORIGINS: origins(),
  BILLING_ADDR: addresses(),
  CHAT_ADDR: addresses(),
  /** Absent: no images or videos. */
  MEDIA_ADDR: addresses().optional(),
  /** Absent: no stored responses. */
  STORAGE_ADDR: addresses().optional(),
  DASHBOARD_ADDR: addresses(),
  DASHBOARD_HTTP_URL: z.url({ protocol: /^https?$/ }),

  EDGE_MAX_BODY_BYTES: count(32 * MIB),
  EDGE_BODY_MEMORY_BYTES: count(256 * MIB),
  EDGE_MAX_UPLOAD_BYTES: count(110 * MIB),
  EDGE_DASHBOARD_MAX_BODY_BYTES: count(MIB),
  EDGE_DASHBOARD_BODY_MEMORY_BYTES: count(32 * MIB),
  EDGE_MAX_CONNECTIONS: count(20_000),
  EDGE_KEY_CACHE_ENTRIES: count(20_000),

  EDGE_HEADER_TIMEOUT_MS: milliseconds(10_000),
  EDGE_BODY_TIMEOUT_MS: milliseconds(60_000),
  EDGE_BODY_PROGRESS_MS: milliseconds(10_000),
  /** For a complete form: 110 MB at 3 Mbit/s. */
  EDGE_UPLOAD_TIMEOUT_MS: milliseconds(300_000),
  EDGE_KEEP_ALIVE_MS: milliseconds(65_000),
  /** Longer than the timeouts of chat and media for providers, so that they answer before edge gives up. */
  EDGE_CALL_TIMEOUT_MS: milliseconds(720_000),
  EDGE_STALL_TIMEOUT_MS: milliseconds(60_000),
  EDGE_DASHBOARD_TIMEOUT_MS: milliseconds(30_000),
  /** After SIGTERM, how long connections are still accepted while /readyz fails. */
  EDGE_LAME_DUCK_MS: z.coerce.number().int().min(0).max(MAX_LAME_DUCK_MS).default(5_000),
  /** The same as the drain timeouts of chat and media. */
  EDGE_STOP_GRACE_MS: milliseconds(600_000),
};

export type Settings = ReturnType<typeof readSettings>;

export function readSettings(env: NodeJS.ProcessEnv) {
  const settings = parseEnv(shape, env);
  if (settings.EDGE_API_HOSTS.length > 0 !== settings.EDGE_DASHBOARD_HOSTS.length > 0) {
    throw new SettingsError(['EDGE_API_HOSTS, EDGE_DASHBOARD_HOSTS: set both or neither']);
  }
  return { ...settings, cells: readCells(env) };
}
