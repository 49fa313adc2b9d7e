import { readCells } from '@gateway/call-billing/cell-settings';
import { kafkaConnection, kafkaSettings } from '@gateway/kafka';
import {
  addresses,
  discoverySettings,
  milliseconds,
  parseEnv,
  port,
  processSettings,
  SettingsError,
  signingSettings,
  z,
} from '@gateway/process';
import { localAddressSettings } from '@gateway/providers';
import { trustSettings } from '@gateway/rpc';
import { credentialsKey } from '@gateway/secrets';
import { MAX_REPLY_BYTES } from './domain/reply-memory';

const shape = {
  ...processSettings,
  ...trustSettings('chat'),
  ...discoverySettings,
  ...signingSettings,
  ...localAddressSettings,
  GRPC_PORT: port(7103),
  CATALOG_ADDR: addresses(),
  BILLING_ADDR: addresses(),
  /** Absent: no images or videos, and model lists contain none. */
  MEDIA_ADDR: addresses().optional(),
  /** Absent: responses are not stored. */
  STORAGE_ADDR: addresses().optional(),
  /** `off`: responses are not stored, although there is a storage. */
  STORED_RESPONSES: z.enum(['on', 'off']).default('on'),
  /** Keeps the usage journal in schema `chat` instead of a folder. */
  DATABASE_URL: z.string().min(1).optional(),
  /** Contains the usage journal; must survive the process and belong to it alone. Required without `DATABASE_URL`. */
  DATA_DIR: z.string().optional(),
  JOURNAL_MAX_BYTES: z.coerce
    .number()
    .int()
    .positive()
    .default(256 * 1024 ** 2),
  /** Bodies of all calls in flight; processing a body takes several times its size in addition. */
  BODY_MEMORY_BYTES: z.coerce
    .number()
    .int()
    .positive()
    .default(512 * 1024 ** 2),
  /** Replies that are not streams, until their clients have received them; the largest must fit into half of it. */
  REPLY_MEMORY_BYTES: z.coerce
    .number()
    .int()
    .min(2 * MAX_REPLY_BYTES)
    .default(512 * 1024 ** 2),
  /** Off the prices of calls of batches. */
  BATCH_DISCOUNT_PERCENT: z.coerce.number().int().min(0).max(99).default(0),
  ...kafkaSettings,
  /** Keys that decrypt the credentials of the catalog's providers. Absent: only references to secrets can be used. */
  CREDENTIALS_KEY: credentialsKey().optional(),
  /** Folder of the files that credentials refer to as `file:<name>`; changed files are read again within seconds. */
  CREDENTIALS_DIR: z.string().optional(),
  CHAT_PROVIDERS: z.string().default('openai,anthropic,google,deepseek,mistral,xai'),
  SIM_BASE_URL: z.url().optional(),
  /** Top-level members of a request that its format does not document. */
  UNKNOWN_FIELDS: z.enum(['refuse', 'forward']).default('refuse'),
  UPSTREAM_CONNECT_TIMEOUT_MS: milliseconds(5_000),
  /** Below edge's own timeout, so that the client learns that the provider was slow. */
  UPSTREAM_FIRST_BYTE_TIMEOUT_MS: milliseconds(540_000),
  UPSTREAM_IDLE_TIMEOUT_MS: milliseconds(120_000),
  /** Silence after which a streaming client gets a keep-alive comment. */
  KEEP_ALIVE_MS: milliseconds(15_000),
  /** From the opening of a target's circuit to the first probe. */
  CIRCUIT_OPEN_MS: milliseconds(10_000),
  /** How long a provider is read after the client has disconnected; below the drain timeout, so that a shutdown waits for it. */
  ABANDONED_CALL_TIMEOUT_MS: milliseconds(540_000),
  /** Per account; beyond it new calls of models with hidden reasoning are refused. */
  MAX_ABANDONED_CALLS: z.coerce.number().int().positive().default(500),
  RESERVE_TIMEOUT_MS: milliseconds(5_000),
  /** Longer than any stream should be. */
  DRAIN_TIMEOUT_MS: milliseconds(600_000),
};

/** @throws SettingsError for an invalid setting, and if there is no place for the journal */
export function readSettings(env: NodeJS.ProcessEnv) {
  const settings = parseEnv(shape, env);
  return {
    ...settings,
    cells: readCells(env),
    journal: journalPlace(settings),
    kafka: kafkaConnection(settings),
  };
}

function journalPlace(settings: z.infer<z.ZodObject<typeof shape>>) {
  const { DATABASE_URL: databaseUrl, DATA_DIR: dataDir, JOURNAL_MAX_BYTES: maxBytes } = settings;
  if (databaseUrl !== undefined) return { databaseUrl };
  if (dataDir !== undefined) return { dataDir, maxBytes };
  throw new SettingsError(['DATA_DIR, DATABASE_URL: set one of them']);
}
