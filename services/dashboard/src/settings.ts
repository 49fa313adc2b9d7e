import { HOME_CELL, readCells } from '@gateway/call-billing/cell-settings';
import {
  addresses,
  commaSeparated,
  discoverySettings,
  parseEnv,
  port,
  processSettings,
  publicApiUrl,
  SettingsError,
  signingSettings,
  z,
} from '@gateway/process';
import { trustSettings } from '@gateway/rpc';

const ED25519_SEED = /^[A-Za-z0-9_-]{43}$/;

const limit = (defaultLimit: number) => z.coerce.number().int().min(1).max(1_000_000).default(defaultLimit);

const shape = {
  ...processSettings,
  ...trustSettings('dashboard'),
  ...discoverySettings,
  ...signingSettings,
  HTTP_PORT: port(7105),
  GRPC_PORT: port(7106),
  DATABASE_URL: z.string().min(1),
  BILLING_ADDR: addresses(),
  /** Cells that new accounts are put into, at random. */
  NEW_ACCOUNT_CELLS: commaSeparated().default([HOME_CELL]),
  CATALOG_ADDR: addresses(),
  /** Operators see the health of their providers. */
  CHAT_ADDR: addresses().optional(),
  MEDIA_ADDR: addresses().optional(),
  /** Origin of `/v1` for callers, for snippets in the web UI and the API document. */
  PUBLIC_API_URL: publicApiUrl(),
  /** Ed25519 seeds, 32 bytes in base64url each, comma-separated: the first signs, all verify. */
  JWT_SIGNING_KEY: z
    .string()
    .transform((value) => value.split(',').map((seed) => seed.trim()))
    .refine((seeds) => seeds.every((seed) => ED25519_SEED.test(seed)), 'not 32 bytes in base64url'),
  /** Who may register an account: everyone, who has an operator's invitation, or nobody. */
  REGISTRATION: z.enum(['open', 'invite', 'off']).default('open'),
  /** The first operator, created if there is none. */
  ADMIN_EMAIL: z.string().optional(),
  ADMIN_PASSWORD: z.string().optional(),
  /** Public keys of GitHub's secret scanning; read when a report names an unknown key. */
  SECRET_SCANNING_KEYS_URL: z
    .url({ protocol: /^https?$/ })
    .default('https://api.github.com/meta/public_keys/secret_scanning'),
  /** A file with the same content, read instead of the URL. */
  SECRET_SCANNING_KEYS_FILE: z.string().min(1).optional(),
  /** Wrong passwords for one email from one address in 15 minutes. */
  LOGIN_LIMIT_PER_EMAIL: limit(10),
  /** Wrong passwords for one email from all addresses in 15 minutes. */
  LOGIN_LIMIT_PER_EMAIL_ANYWHERE: limit(100),
  /** Wrong passwords from one address in 15 minutes. */
  LOGIN_LIMIT_PER_ADDRESS: limit(100),
  /** Correct passwords of one user in 15 minutes. */
  LOGIN_LIMIT_PER_USER: limit(100),
  /** Registrations from one address per hour. */
  REGISTER_LIMIT_PER_ADDRESS: limit(1_000),
  /** Changes by the users of one account per hour. */
  CHANGE_LIMIT_PER_ACCOUNT: limit(1_000),
  /** Attempts to add a member to one account per hour; an account has at most 100. */
  MEMBER_LIMIT_PER_ACCOUNT: limit(100),
  /** Attempts to add members to any account from one address per hour. */
  MEMBER_LIMIT_PER_ADDRESS: limit(1_000),
};

export type Settings = ReturnType<typeof readSettings>;

/** @throws SettingsError */
export function readSettings(env: NodeJS.ProcessEnv) {
  const { NEW_ACCOUNT_CELLS, ...settings } = parseEnv(shape, env);
  const cells = readCells(env);
  const known = new Set([HOME_CELL, ...cells.map(({ name }) => name)]);
  const unknown = NEW_ACCOUNT_CELLS.filter((name) => !known.has(name));
  if (unknown.length > 0) throw new SettingsError(['NEW_ACCOUNT_CELLS: not all are home or in CELLS']);
  return {
    ...settings,
    cells,
    newAccountCells: NEW_ACCOUNT_CELLS.map((name) => (name === HOME_CELL ? '' : name)),
  };
}
