import { tmpdir } from 'node:os';
import { readCells } from '@gateway/call-billing/cell-settings';
import { kafkaConnection, kafkaSettings } from '@gateway/kafka';
import {
  addresses,
  discoverySettings,
  milliseconds,
  parseEnv,
  port,
  processSettings,
  publicApiUrl,
  signingSettings,
  timerMs,
  z,
} from '@gateway/process';
import { localAddressSettings } from '@gateway/providers';
import { trustSettings } from '@gateway/rpc';
import { credentialsKey } from '@gateway/secrets';

const shape = {
  ...processSettings,
  ...trustSettings('media'),
  ...discoverySettings,
  ...signingSettings,
  ...localAddressSettings,
  GRPC_PORT: port(7104),
  CATALOG_ADDR: addresses(),
  BILLING_ADDR: addresses(),
  DATABASE_URL: z.string().min(1),
  ...kafkaSettings,
  /** Keys that decrypt the credentials of the catalog's providers. Absent: only references to secrets can be used. */
  CREDENTIALS_KEY: credentialsKey().optional(),
  /** Folder of the files that credentials refer to as `file:<name>`; changed files are read again within seconds. */
  CREDENTIALS_DIR: z.string().optional(),
  MEDIA_PROVIDERS: z.string().default(''),
  /** Origin of the simulator, which serves `sim/*`. */
  SIM_BASE_URL: z.url().optional(),
  /** After this time an image call gets `image_generation_timeout`. */
  IMAGE_TIMEOUT_MS: milliseconds(120_000),
  /** Time after that for which the provider's reply is still awaited, so that the call can be billed. */
  IMAGE_GRACE_MS: milliseconds(600_000),
  /** Time within which a provider must begin to answer an audio call, and in which it must end one whose client has disconnected. */
  AUDIO_TIMEOUT_MS: milliseconds(600_000),
  /** Memory for the images of all calls in flight, estimated from their pixels. */
  IMAGE_MAX_BYTES: z.coerce
    .number()
    .int()
    .positive()
    .default(2 * 1024 ** 3),
  /** Directory for the files of calls in flight; on a disk, because an in-memory file system would fill up. */
  UPLOAD_DIR: z.string().default(tmpdir()),
  /** Disk space for these files. */
  UPLOAD_MAX_BYTES: z.coerce
    .number()
    .int()
    .positive()
    .default(4 * 1024 ** 3),
  /** Memory for the JSON bodies of video calls. */
  VIDEO_MAX_BYTES: z.coerce
    .number()
    .int()
    .positive()
    .default(1024 ** 3),
  /** Time between two polls of a new video task. */
  VIDEO_POLL_INTERVAL_MS: milliseconds(3_000),
  /** Timeout of one poll, during which no other instance polls the task. */
  VIDEO_POLL_TIMEOUT_MS: milliseconds(10_000),
  /** Origin of the API for clients, for links to files. */
  PUBLIC_API_URL: publicApiUrl(),
  UPSTREAM_CONNECT_TIMEOUT_MS: milliseconds(5_000),
  /** For submitting and polling a task; an image call has its own timeout and grace. */
  UPSTREAM_FIRST_BYTE_TIMEOUT_MS: milliseconds(60_000),
  UPSTREAM_IDLE_TIMEOUT_MS: milliseconds(60_000),
  /** From the opening of a target's circuit to the first probe. */
  CIRCUIT_OPEN_MS: milliseconds(10_000),
  RESERVE_TIMEOUT_MS: milliseconds(5_000),
  /** Time without heartbeats after which others take over an instance's bills. Detection takes up to a quarter longer. */
  INSTANCE_LEASE_MS: milliseconds(6_000),
  /** Absent: until every waiting client has been answered. */
  DRAIN_TIMEOUT_MS: timerMs().optional(),
};

export type Settings = ReturnType<typeof readSettings>;

/** From the moment the last client is answered until the response has been sent. */
const DRAIN_MARGIN_MS = 5_000;

export function readSettings(env: NodeJS.ProcessEnv) {
  const { DRAIN_TIMEOUT_MS, ...settings } = parseEnv(shape, env);
  return {
    ...settings,
    DRAIN_TIMEOUT_MS:
      DRAIN_TIMEOUT_MS ?? Math.max(settings.IMAGE_TIMEOUT_MS, settings.AUDIO_TIMEOUT_MS) + DRAIN_MARGIN_MS,
    cells: readCells(env),
    kafka: kafkaConnection(settings),
  };
}
