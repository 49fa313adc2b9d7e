import { addresses, grpcSettings, milliseconds, parseEnv, port, processSettings, z } from '@gateway/process';
import { MAX_REPLY_BYTES } from './domain/reply-memory';

const shape = {
  ...processSettings,
  ...grpcSettings,
  GRPC_PORT: port(7103),
  CATALOG_ADDR: addresses(),
  BILLING_ADDR: addresses(),
  /** Absent: there are no images and videos, and model lists show none. */
  MEDIA_ADDR: addresses().optional(),
  /** Holds the usage journal; must outlive the process, and belong to it alone. */
  DATA_DIR: z.string(),
  JOURNAL_MAX_BYTES: z.coerce
    .number()
    .int()
    .positive()
    .default(256 * 1024 ** 2),
  /** Of all calls under way together, each until it has ended; what is made of a body takes several times as much. */
  BODY_MEMORY_BYTES: z.coerce
    .number()
    .int()
    .positive()
    .default(512 * 1024 ** 2),
  /** Of the replies that are no streams, each until its caller has it; the largest must fit where an account has half. */
  REPLY_MEMORY_BYTES: z.coerce
    .number()
    .int()
    .min(2 * MAX_REPLY_BYTES)
    .default(512 * 1024 ** 2),
  /** Absent: usage goes to billing over gRPC. */
  KAFKA_BROKERS: addresses().optional(),
  KAFKA_TOPIC_PREFIX: z.string().default(''),
  CHAT_PROVIDERS: z.string().default('openai,anthropic,google,deepseek,mistral,xai'),
  SIM_BASE_URL: z.url().optional(),
  /** Top-level fields of a call that its format does not document. */
  UNKNOWN_FIELDS: z.enum(['refuse', 'forward']).default('refuse'),
  UPSTREAM_CONNECT_TIMEOUT_MS: milliseconds(5_000),
  /** Below edge's own patience, so that the caller learns that the provider was slow. */
  UPSTREAM_FIRST_BYTE_TIMEOUT_MS: milliseconds(540_000),
  UPSTREAM_IDLE_TIMEOUT_MS: milliseconds(120_000),
  /** Of silence, after which the caller of a stream is told that it goes on. */
  KEEP_ALIVE_MS: milliseconds(15_000),
  /** From the opening of a target's circuit to its first probe. */
  CIRCUIT_OPEN_MS: milliseconds(10_000),
  /** How long a provider is listened to once the caller has disconnected; below the drain, so that a stop waits for it. */
  ABANDONED_CALL_TIMEOUT_MS: milliseconds(540_000),
  /** Of one account, before new calls of models that hide their reasoning are refused. */
  MAX_ABANDONED_CALLS: z.coerce.number().int().positive().default(500),
  RESERVE_TIMEOUT_MS: milliseconds(5_000),
  /** Beyond the longest stream that there should be. */
  DRAIN_TIMEOUT_MS: milliseconds(600_000),
};

export const readSettings = (env: NodeJS.ProcessEnv) => parseEnv(shape, env);
