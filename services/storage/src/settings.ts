import { addresses, grpcSettings, milliseconds, parseEnv, port, processSettings, z } from '@gateway/process';
import { credentialsKey } from '@gateway/secrets';

const MIB = 1024 * 1024;

const shape = {
  ...processSettings,
  ...grpcSettings,
  GRPC_PORT: port(7107),
  BILLING_ADDR: addresses(),
  DATABASE_URL: z.string().min(1),
  /** Keys that encrypt stored content: the first encrypts, all decrypt. */
  STORAGE_KEY: credentialsKey(),
  /** Responses older than this are deleted. */
  RESPONSE_RETENTION_DAYS: z.coerce.number().int().min(1).max(3_650).default(30),
  /** Of callers: `off`, and no content is stored. */
  STORED_RESPONSES: z.enum(['on', 'off']).default('on'),
  /** For encrypted files. Instances share it. */
  FILE_DIR: z.string().min(1).default('files'),
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
  RESERVE_TIMEOUT_MS: milliseconds(5_000),
  DRAIN_TIMEOUT_MS: milliseconds(30_000),
};

export type Settings = ReturnType<typeof readSettings>;

export const readSettings = (env: NodeJS.ProcessEnv) => parseEnv(shape, env);
