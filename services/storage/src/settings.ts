import { readCells } from '@gateway/call-billing/cell-settings';
import {
  addresses,
  discoverySettings,
  milliseconds,
  parseEnv,
  port,
  processSettings,
  publicApiUrl,
  SettingsError,
  z,
} from '@gateway/process';
import { trustSettings } from '@gateway/rpc';
import { credentialsKey } from '@gateway/secrets';

const MIB = 1024 * 1024;

const shape = {
  ...processSettings,
  ...trustSettings('storage'),
  ...discoverySettings,
  GRPC_PORT: port(7107),
  BILLING_ADDR: addresses(),
  /** For batches and responses in the background; without it they are refused. */
  CHAT_ADDR: addresses().optional(),
  /** Origin of the API for clients, for links to results. */
  PUBLIC_API_URL: publicApiUrl().optional(),
  DATABASE_URL: z.string().min(1),
  /** Keys that encrypt stored content: the first encrypts, all decrypt. */
  STORAGE_KEY: credentialsKey(),
  /** Responses older than this are deleted. */
  RESPONSE_RETENTION_DAYS: z.coerce.number().int().min(1).max(3_650).default(30),
  /** JSON of the stored responses of an account with their inputs, and their number. */
  RESPONSE_MAX_ACCOUNT_BYTES: z.coerce
    .number()
    .int()
    .min(0)
    .default(1_024 * MIB),
  RESPONSE_MAX_ACCOUNT_COUNT: z.coerce.number().int().min(0).default(100_000),
  /** Of callers: `off`, and no content is stored. */
  STORED_RESPONSES: z.enum(['on', 'off']).default('on'),
  /** For encrypted files. Instances share it. */
  FILE_DIR: z.string().min(1).default('files'),
  /** Encrypted files are kept here instead, for all instances. */
  FILE_S3_BUCKET: z.string().min(1).optional(),
  /** Absent: AWS. */
  FILE_S3_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  FILE_S3_REGION: z.string().min(1).default('us-east-1'),
  FILE_S3_PATH_STYLE: z.enum(['on', 'off']).default('off'),
  FILE_S3_PREFIX: z
    .string()
    .regex(/^[\w!.*'()/-]*$/)
    .default(''),
  /** Both absent: those that the AWS SDK finds. */
  FILE_S3_ACCESS_KEY_ID: z.string().min(1).optional(),
  FILE_S3_SECRET_ACCESS_KEY: z.string().min(1).optional(),
  /** For an attempt of a request, and for each wait for more of a file. */
  FILE_S3_TIMEOUT_MS: milliseconds(15_000),
  /** How often expired responses, files and batches are deleted. */
  DELETION_INTERVAL_MS: milliseconds(60_000),
  FILE_RETENTION_DAYS: z.coerce.number().int().min(1).max(3_650).default(30),
  /** Edge has a bound of its own. */
  FILE_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(1)
    .default(100 * MIB),
  FILE_MAX_ACCOUNT_BYTES: z.coerce
    .number()
    .int()
    .min(1)
    .default(10_240 * MIB),
  FILE_MAX_ACCOUNT_COUNT: z.coerce.number().int().min(1).max(1_000_000).default(10_000),
  /** Batches of an account, until they expire. */
  BATCH_MAX_ACCOUNT_COUNT: z.coerce.number().int().min(1).max(1_000_000).default(10_000),
  /** Of one batch. */
  BATCH_CONCURRENCY: z.coerce.number().int().min(1).max(1_000).default(16),
  /** Of all batches in this process. */
  BATCH_CALLS_PER_SECOND: z.coerce.number().min(0.01).max(10_000).default(100),
  /** Responses in the background that this process runs. */
  BACKGROUND_CONCURRENCY: z.coerce.number().int().min(1).max(1_000).default(32),
  /** Responses in the background of an account that have not ended. */
  BACKGROUND_MAX_OPEN: z.coerce.number().int().min(1).max(10_000).default(100),
  /** From the creation of a response in the background: what could not be sent by then, such as for a rate limit, fails. */
  BACKGROUND_START_TIMEOUT_MS: milliseconds(1_800_000),
  /** At least as long as chat may take for a call, of a batch or in the background. */
  BATCH_CALL_TIMEOUT_MS: milliseconds(720_000),
  RESERVE_TIMEOUT_MS: milliseconds(5_000),
  /** Time for the calls in flight of batches and in the background, which chat answers within it when it stops too. */
  DRAIN_TIMEOUT_MS: milliseconds(600_000),
};

export type Settings = ReturnType<typeof readSettings>;

export function readSettings(env: NodeJS.ProcessEnv) {
  const settings = parseEnv(shape, env);
  if ((settings.FILE_S3_ACCESS_KEY_ID === undefined) !== (settings.FILE_S3_SECRET_ACCESS_KEY === undefined))
    throw new SettingsError(['FILE_S3_ACCESS_KEY_ID, FILE_S3_SECRET_ACCESS_KEY: set both or neither']);
  return { ...settings, cells: readCells(env) };
}
