import type { LinkHandler } from '@gateway/link';
import type { QuotaMetrics } from '@gateway/process';
import type { Failover, TargetHealth } from '@gateway/upstream';
import type { Admission } from '../billing/admission';
import { type CreateImageDeps, createImage } from '../rpc/create-image';
import type { Settings } from '../settings';
import { ImageJobs } from './image-jobs';
import { JobLimiter } from './rules/job-limiter';

export interface ImagesOptions extends Pick<CreateImageDeps, 'models' | 'keys' | 'forms' | 'idempotent'> {
  readonly settings: Settings;
  readonly providers: CreateImageDeps['providers'];
  readonly failover: Failover;
  readonly admission: Admission;
  readonly health: TargetHealth;
  readonly quotas: QuotaMetrics;
}

/** Orders in flight: each may keep files on disk and a connection open. */
const MAX_JOBS = 1_000;

/** Constructs everything for image calls. */
export function openImages(options: ImagesOptions): {
  readonly create: LinkHandler;
  readonly jobs: ImageJobs;
} {
  const { settings, failover, quotas } = options;
  const limiter = new JobLimiter({ maxJobs: MAX_JOBS, maxBytes: settings.IMAGE_MAX_BYTES });
  quotas.track('image_jobs', limiter.jobs);
  quotas.track('image_memory', limiter.memory);
  const jobs = new ImageJobs({
    failover,
    timeouts: {
      connectMs: settings.UPSTREAM_CONNECT_TIMEOUT_MS,
      // The job has its own timeout.
      firstByteMs: settings.IMAGE_TIMEOUT_MS + settings.IMAGE_GRACE_MS,
      idleMs: settings.UPSTREAM_IDLE_TIMEOUT_MS,
    },
    timeoutMs: settings.IMAGE_TIMEOUT_MS,
    graceMs: settings.IMAGE_GRACE_MS,
    limiter,
  });
  return { create: createImage({ ...options, jobs }), jobs };
}
