import { tmpdir } from 'node:os';
import {
  addresses,
  grpcSettings,
  milliseconds,
  parseEnv,
  port,
  processSettings,
  publicApiUrl,
  timerMs,
  z,
} from '@gateway/process';

const shape = {
  ...processSettings,
  ...grpcSettings,
  GRPC_PORT: port(7104),
  CATALOG_ADDR: addresses(),
  BILLING_ADDR: addresses(),
  DATABASE_URL: z.string().min(1),
  /** Absent: usage goes to billing over gRPC. */
  KAFKA_BROKERS: addresses().optional(),
  KAFKA_TOPIC_PREFIX: z.string().default(''),
  MEDIA_PROVIDERS: z.string().default(''),
  /** Origin of the simulator, which serves `sim/*`. */
  SIM_BASE_URL: z.url().optional(),
  /** After which the caller of an image is told that it takes too long. */
  IMAGE_TIMEOUT_MS: milliseconds(120_000),
  /** How long the provider's word on such a call is waited for, so that it can be billed. */
  IMAGE_GRACE_MS: milliseconds(600_000),
  /** Bound on what the images of calls under way take in memory together, by their pixels. */
  IMAGE_MAX_BYTES: z.coerce
    .number()
    .int()
    .positive()
    .default(2 * 1024 ** 3),
  /** For the files of calls under way; on a disk, because in a file system in memory they would fill that. */
  UPLOAD_DIR: z.string().default(tmpdir()),
  /** Bound on what those files take together. */
  UPLOAD_MAX_BYTES: z.coerce
    .number()
    .int()
    .positive()
    .default(4 * 1024 ** 3),
  /** Bound on what the JSON bodies of orders of videos take in memory together. */
  VIDEO_MAX_BYTES: z.coerce
    .number()
    .int()
    .positive()
    .default(1024 ** 3),
  /** Between two looks at a young video task. */
  VIDEO_POLL_INTERVAL_MS: milliseconds(3_000),
  /** Of one look; who looks has the task to itself for as long. */
  VIDEO_LOOK_TIMEOUT_MS: milliseconds(10_000),
  /** Where callers reach the API, for links to files of ours. */
  PUBLIC_API_URL: publicApiUrl(),
  UPSTREAM_CONNECT_TIMEOUT_MS: milliseconds(5_000),
  /** Of a submit or a look at a task; an image's is its timeout and its grace. */
  UPSTREAM_FIRST_BYTE_TIMEOUT_MS: milliseconds(60_000),
  UPSTREAM_IDLE_TIMEOUT_MS: milliseconds(60_000),
  /** From the opening of a target's circuit to its first probe. */
  CIRCUIT_OPEN_MS: milliseconds(10_000),
  RESERVE_TIMEOUT_MS: milliseconds(5_000),
  /** Of an instance, after which others end its bills: with a quarter of it, and a start, within ten seconds. */
  INSTANCE_LEASE_MS: milliseconds(6_000),
  /** Absent: until whoever waits for an image has been told what became of it. */
  DRAIN_TIMEOUT_MS: timerMs().optional(),
};

export type Settings = ReturnType<typeof readSettings>;

/** From the moment in which the last caller is told to that in which the answer has gone out. */
const DRAIN_MARGIN_MS = 5_000;

export function readSettings(env: NodeJS.ProcessEnv) {
  const { DRAIN_TIMEOUT_MS, ...settings } = parseEnv(shape, env);
  return { ...settings, DRAIN_TIMEOUT_MS: DRAIN_TIMEOUT_MS ?? settings.IMAGE_TIMEOUT_MS + DRAIN_MARGIN_MS };
}
