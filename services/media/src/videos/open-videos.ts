import { withCurrentKey } from '@gateway/call-billing';
import type { EndpointName } from '@gateway/endpoints';
import { findAddresses } from '@gateway/http-client';
import type { LinkHandler } from '@gateway/link';
import type { Pool } from '@gateway/postgres';
import { type Logger, type QuotaMetrics, signingSecrets } from '@gateway/process';
import { Quota, SingleFlightCache } from '@gateway/quota';
import type { Failover, TargetHealth } from '@gateway/upstream';
import type { MediaBilling } from '../billing/create-billing';
import type { TaskMetrics } from '../metrics';
import { type CreateVideoDeps, createVideo } from '../rpc/create-video';
import { getVideoFile } from '../rpc/get-video-file';
import { getVideoResult } from '../rpc/get-video-result';
import { getVideoStatus } from '../rpc/get-video-status';
import { listVideos } from '../rpc/list-videos';
import type { Settings } from '../settings';
import { Tasks } from '../store/tasks';
import { newTaskId } from './new-task-id';
import type { VideoProviders } from './poll-task';
import { LinkSigner } from './rules/signed-link';
import { TaskPoller } from './task-poller';
import { TaskWriter } from './task-writer';
import { VideoLinks } from './video-links';
import { reuseMs, VideoStatusClient } from './video-status-client';
import { VideoSubmitter } from './video-submitter';

const LINK_LIFETIME_MS = 3_600_000;
const GIVE_UP_MS = 86_400_000;
/** Concurrent polls of the poller per provider. */
const POLLS_PER_PROVIDER = 16;
/** Concurrent queries for results per provider; one account may use a quarter. */
const RESULT_QUERIES_PER_PROVIDER = 64;
const MAX_CACHED_RESULTS = 1_000;
/** Files being sent; one account may use a quarter. */
const MAX_FILES = 64;
/** A quarter of a megabit per second, for slow mobile connections; a file of 50 MB takes half an hour at this rate. */
const FILE_PACE = { graceMs: 60_000, leastBytesPerSecond: 32 * 1024 };
const KEEP_RETRY_MS = 100;

export interface VideosOptions extends Pick<CreateVideoDeps, 'models' | 'keys' | 'forms' | 'idempotent'> {
  readonly settings: Settings;
  readonly log: Logger;
  readonly pool: Pool;
  readonly mediaBilling: Pick<MediaBilling, 'admission' | 'bills' | 'billOutbox'>;
  readonly providers: VideoProviders;
  readonly failover: Failover;
  readonly health: TargetHealth;
  readonly taskMetrics: TaskMetrics;
  readonly quotas: QuotaMetrics;
}

/** Everything for video calls. */
export interface Videos {
  readonly routes: Readonly<Record<Extract<EndpointName<'media'>, `video${string}`>, LinkHandler>>;
  readonly tasks: Tasks;
  readonly poller: TaskPoller;
}

export function openVideos(options: VideosOptions): Videos {
  const { settings, log, pool, mediaBilling, models, providers, failover } = options;
  const { taskMetrics, quotas } = options;
  const { admission, bills, billOutbox } = mediaBilling;
  /** An account may use a quarter. */
  const quarter = (name: string, limit: number) =>
    quotas.track(name, new Quota({ limit, perHolder: limit / 4 }));
  const perHolder = (name: string, most: number) =>
    quotas.track(name, new Quota({ limit: Number.POSITIVE_INFINITY, perHolder: most }));
  const intervalMs = settings.VIDEO_POLL_INTERVAL_MS;
  const timeouts = {
    connectMs: settings.UPSTREAM_CONNECT_TIMEOUT_MS,
    firstByteMs: settings.UPSTREAM_FIRST_BYTE_TIMEOUT_MS,
    idleMs: settings.UPSTREAM_IDLE_TIMEOUT_MS,
  };
  const pollTimeoutMs = settings.VIDEO_POLL_TIMEOUT_MS;
  const pollTimeouts = { ...timeouts, totalMs: pollTimeoutMs };
  const tasks = new Tasks({ pool, bills, firstPollMs: intervalMs });
  const statusClient = new VideoStatusClient({
    providers,
    timeouts: pollTimeouts,
    fileTimeouts: timeouts,
    results: new SingleFlightCache({
      keepMs: (videos) => reuseMs(videos, Date.now()),
      maxEntries: MAX_CACHED_RESULTS,
      nowMs: () => performance.now(),
    }),
    queries: {
      ofProvider: perHolder('video_queries_of_provider', RESULT_QUERIES_PER_PROVIDER),
      ofAccount: perHolder('video_queries_of_account', RESULT_QUERIES_PER_PROVIDER / 4),
    },
  });
  const links = new VideoLinks({
    signer: new LinkSigner(signingSecrets(settings)),
    publicUrl: settings.PUBLIC_API_URL,
    lifetimeMs: LINK_LIFETIME_MS,
    nowMs: Date.now,
  });
  const known = {
    models,
    keys: options.keys,
    admission,
    findTask: (id: string, accountId: string) => tasks.find(id, accountId),
  };
  return {
    tasks,
    routes: {
      video_create: createVideo({
        ...options,
        admission,
        tasks,
        submitter: new VideoSubmitter(failover, timeouts),
        taskWriter: new TaskWriter({ tasks, firstWaitMs: KEEP_RETRY_MS }),
        newTaskId,
        addressesOf: findAddresses,
        bodies: quarter('video_bodies', settings.VIDEO_MAX_BYTES),
      }),
      video_status: getVideoStatus(known),
      video_result: getVideoResult({ ...known, statusClient, links }),
      videos: withCurrentKey(options.keys, listVideos({ tasks, admission })),
      video_file: getVideoFile({
        links,
        statusClient,
        findTask: (id) => tasks.find(id),
        files: quarter('video_files', MAX_FILES),
        pace: FILE_PACE,
      }),
    },
    poller: new TaskPoller({
      tasks,
      providers,
      settings: { intervalMs, giveUpMs: GIVE_UP_MS },
      pollsPerProvider: POLLS_PER_PROVIDER,
      timeouts: pollTimeouts,
      pollTimeoutMs,
      metrics: taskMetrics,
      log,
      nowMs: Date.now,
      deliver: (event) => billOutbox.deliver(event),
    }),
  };
}
