import { nanoFromUsd } from '@gateway/money';
import { addresses, grpcSettings, parseEnv, port, processSettings, secrets, z } from '@gateway/process';

/** 24 days: a longer timer fires at once, again and again. */
const MAX_INTERVAL_MS = 24 * 86_400_000;

const durationMs = (defaultMs: number) => z.coerce.number().int().min(1).default(defaultMs);
const intervalMs = (defaultMs: number) =>
  z.coerce.number().int().min(1).max(MAX_INTERVAL_MS).default(defaultMs);

const shape = {
  ...processSettings,
  ...grpcSettings,
  GRPC_PORT: port(7102),
  DATABASE_URL: z.string().min(1),
  /** The place of the rates; absent: keys that have a limit of them are refused. */
  REDIS_URL: z.string().optional(),
  /** Absent: settlement events come by `Deliver` only. */
  KAFKA_BROKERS: addresses().optional(),
  KAFKA_TOPIC_PREFIX: z.string().default(''),
  /** The first makes the values of new keys, all find those of old ones. */
  KEY_PEPPER: secrets(),
  /** How long the journal of a silent owner may still come before its holds expire. */
  HOLD_GRACE_MS: durationMs(30 * 60_000),
  /** The same of calls that make a task. */
  TASK_HOLD_GRACE_MS: durationMs(24 * 3_600_000),
  /** Cost of the calls that an account abandons within an hour; above it new ones are refused. */
  ABANDONED_COST_LIMIT_USD: z.coerce
    .number()
    .default(1)
    .transform((usd, context) => {
      const nano = usd < 0 ? undefined : nanoFromUsd(usd);
      if (nano !== undefined) return nano;
      context.addIssue({ code: 'custom', message: 'expected USD with at most 9 decimals' });
      return z.NEVER;
    }),
  SWEEP_INTERVAL_MS: intervalMs(30_000),
  /** How often drift is looked for when nobody scrapes. */
  RECONCILE_INTERVAL_MS: intervalMs(60_000),
  /** How often the coming weeks' partitions are made sure of. */
  PARTITION_INTERVAL_MS: intervalMs(6 * 3_600_000),
  /** How long the record of a call is kept; whole months of them go at once. What they sum up to stays. */
  REQUEST_RETENTION_DAYS: z.coerce.number().int().min(1).max(36_500).default(90),
  /** How long operators find the requests that have no record: free calls and calls with a login token. */
  ACCESS_LOG_RETENTION_DAYS: z.coerce.number().int().min(1).max(36_500).default(7),
};

export type Settings = ReturnType<typeof readSettings>;

export const readSettings = (env: NodeJS.ProcessEnv) => parseEnv(shape, env);
