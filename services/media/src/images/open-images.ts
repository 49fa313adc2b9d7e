import type { LinkHandler } from '@gateway/link';
import type { TargetHealth } from '@gateway/upstream';
import type { Admission } from '../billing/admission';
import { JobRoom } from '../domain/job-room';
import type { TargetMetrics } from '../metrics';
import { type CreateImageDeps, createImage } from '../rpc/create-image';
import type { Settings } from '../settings';
import { ImageDispatcher } from './image-dispatcher';
import { ImageJobs } from './image-jobs';
import type { ImageProvider } from './rules/image-provider';

export interface ImagesOptions extends Pick<CreateImageDeps, 'models' | 'keys' | 'forms' | 'idempotent'> {
  readonly settings: Settings;
  readonly providers: ReadonlyMap<string, ImageProvider>;
  readonly admission: Admission;
  readonly health: TargetHealth;
  readonly metrics: TargetMetrics;
}

/** Orders under way at once: each may keep its files on the disk and a connection open. */
const MAX_JOBS = 1_000;

/** All that this process needs to have images made. */
export function openImages(options: ImagesOptions): {
  readonly create: LinkHandler;
  readonly jobs: ImageJobs;
} {
  const { settings, health, metrics } = options;
  const dispatcher = new ImageDispatcher({
    health,
    metrics,
    timeouts: {
      connectMs: settings.UPSTREAM_CONNECT_TIMEOUT_MS,
      // Its own end is the job's.
      firstByteMs: settings.IMAGE_TIMEOUT_MS + settings.IMAGE_GRACE_MS,
      idleMs: settings.UPSTREAM_IDLE_TIMEOUT_MS,
    },
  });
  const jobs = new ImageJobs({
    dispatcher,
    timeoutMs: settings.IMAGE_TIMEOUT_MS,
    graceMs: settings.IMAGE_GRACE_MS,
    room: new JobRoom({ maxJobs: MAX_JOBS, maxBytes: settings.IMAGE_MAX_BYTES }),
  });
  return { create: createImage({ ...options, jobs }), jobs };
}
