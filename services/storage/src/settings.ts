import { addresses, grpcSettings, milliseconds, parseEnv, port, processSettings, z } from '@gateway/process';
import { credentialsKey } from '@gateway/secrets';

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
  RESERVE_TIMEOUT_MS: milliseconds(5_000),
  DRAIN_TIMEOUT_MS: milliseconds(30_000),
};

export type Settings = ReturnType<typeof readSettings>;

export const readSettings = (env: NodeJS.ProcessEnv) => parseEnv(shape, env);
