import { connectionOfCell, kafkaConnection, kafkaSettings } from '@gateway/kafka';
import { nanoFromUsd } from '@gateway/money';
import { cellName, parseEnv, port, processSettings, SettingsError, secrets, z } from '@gateway/process';
import { trustSettings } from '@gateway/rpc';
import { redisOptions, redisSettings } from './rates/redis/redis-settings';

/** 24 days: a timer with a longer duration fires immediately and repeatedly. */
const MAX_INTERVAL_MS = 24 * 86_400_000;

const durationMs = (defaultMs: number) => z.coerce.number().int().min(1).default(defaultMs);
const intervalMs = (defaultMs: number) =>
  z.coerce.number().int().min(1).max(MAX_INTERVAL_MS).default(defaultMs);

/** Where the money and its events are. */
export const billingAddresses = {
  /** The name of its cell. Absent: home. */
  CELL: cellName().optional(),
  DATABASE_URL: z.string().min(1),
  ...kafkaSettings,
};

const shape = {
  ...processSettings,
  ...trustSettings('billing'),
  GRPC_PORT: port(7102),
  ...billingAddresses,
  /** For notifications, which PgBouncer does not forward; absent: `DATABASE_URL`. */
  DATABASE_DIRECT_URL: z.string().min(1).optional(),
  ...redisSettings,
  /** Replicas of the topics that billing creates. Absent: 3, or the number of brokers if there are fewer. */
  KAFKA_REPLICATION_FACTOR: z.coerce.number().int().min(1).max(32_767).optional(),
  /** Replicas that must have an event before it is acknowledged. Absent: 2 of three or more replicas, else 1. */
  KAFKA_MIN_INSYNC_REPLICAS: z.coerce.number().int().min(1).max(32_767).optional(),
  /** The first pepper is used for new keys, all of them to look up existing ones. */
  KEY_PEPPER: secrets(),
  /** How long an owner without heartbeats may still deliver its events before its holds expire. */
  HOLD_GRACE_MS: durationMs(30 * 60_000),
  /** The same for calls that create a task. */
  TASK_HOLD_GRACE_MS: durationMs(24 * 3_600_000),
  /** Cost of the calls that an account may abandon within an hour; above it new calls are refused. Parsed to nano-USD. */
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
  /** How often drift is checked without scrapes. */
  RECONCILE_INTERVAL_MS: intervalMs(60_000),
  /** How often the partitions of the coming weeks are created. */
  PARTITION_INTERVAL_MS: intervalMs(6 * 3_600_000),
  /** How long request records are kept; whole months are dropped at once. Sums remain. */
  REQUEST_RETENTION_DAYS: z.coerce.number().int().min(1).max(36_500).default(90),
  /** How long operators can find requests without a record: free calls and calls with a login token. */
  ACCESS_LOG_RETENTION_DAYS: z.coerce.number().int().min(1).max(36_500).default(7),
};

/** Returns the connection to the topics of this billing's cell; undefined without brokers. @throws SettingsError */
export function kafkaOfCell(settings: z.output<z.ZodObject<typeof billingAddresses>>) {
  const kafka = kafkaConnection(settings);
  return kafka && connectionOfCell(kafka, settings.CELL ?? '');
}

export type Settings = ReturnType<typeof readSettings>;

export function readSettings(env: NodeJS.ProcessEnv) {
  const settings = parseEnv(shape, env);
  const { KAFKA_REPLICATION_FACTOR: replicationFactor, KAFKA_MIN_INSYNC_REPLICAS: minInsyncReplicas } =
    settings;
  if (replicationFactor && minInsyncReplicas && minInsyncReplicas > replicationFactor)
    throw new SettingsError(['KAFKA_MIN_INSYNC_REPLICAS: above KAFKA_REPLICATION_FACTOR']);
  return {
    ...settings,
    cell: settings.CELL ?? '',
    kafka: kafkaOfCell(settings),
    redis: redisOptions(settings),
  };
}
