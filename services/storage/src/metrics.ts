import { createMetrics } from '@gateway/process';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { StoreOperation } from './files/store/object-store';

/** Why content was deleted. */
export type DeletionReason = 'expired' | 'requested';

/** Of responses, or of files. */
export interface ContentMetrics {
  saved(bytes: number): void;
  deleted(reason: DeletionReason, count: number): void;
}

export interface StorageMetrics {
  readonly registry: Registry;
  readonly responses: ContentMetrics;
  readonly files: ContentMetrics;
  readonly batches: BatchMetrics;
  readonly background: BackgroundMetrics;
  objectStoreFailed(operation: StoreOperation): void;
}

export interface BatchMetrics {
  created(): void;
  ended(status: string): void;
  /** A batch could not be run, and is tried again. */
  runFailed(): void;
  /** A call of a batch has its final result. */
  callEnded(succeeded: boolean): void;
  deleted(reason: DeletionReason, count: number): void;
}

/** Of responses in the background. */
export interface BackgroundMetrics {
  created(): void;
  /** The first attempt is sent, that long after the creation. */
  started(afterMs: number): void;
  ended(status: string): void;
  /** @param running returns how many this process runs */
  track(running: () => number): void;
}

export function createStorageMetrics(): StorageMetrics {
  const registry = createMetrics();
  const registers = [registry];
  const contentBytes = 'Their content, before encryption';
  const labelNames = ['reason'] as const;
  const batchesCreated = new Counter({
    name: 'storage_batches_created_total',
    help: 'Batches that were created',
    registers,
  });
  const batchesEnded = new Counter({
    name: 'storage_batches_ended_total',
    help: 'Batches that ended, by their last status',
    labelNames: ['status'] as const,
    registers,
  });
  const failedRuns = new Counter({
    name: 'storage_batch_runs_failed_total',
    help: 'Runs of batches that failed, each of which is repeated',
    registers,
  });
  const calls = new Counter({
    name: 'storage_batch_calls_total',
    help: 'Calls of batches that ended: answered, or failed for good',
    labelNames: ['result'] as const,
    registers,
  });
  const batchesDeleted = new Counter({
    name: 'storage_batches_deleted_total',
    help: 'Batches that were deleted: expired, or requested by their account',
    labelNames,
    registers,
  });
  const storeFailures = new Counter({
    name: 'storage_object_store_failures_total',
    help: 'Requests to the S3 store of files that failed after their retries',
    labelNames: ['operation'] as const,
    registers,
  });
  return {
    registry,
    responses: countedBy(
      new Counter({ name: 'storage_responses_saved_total', help: 'Responses that were saved', registers }),
      new Counter({ name: 'storage_responses_saved_bytes_total', help: contentBytes, registers }),
      new Counter({
        name: 'storage_responses_deleted_total',
        help: 'Responses that were deleted: expired, or requested by their account',
        labelNames,
        registers,
      }),
    ),
    files: countedBy(
      new Counter({ name: 'storage_files_saved_total', help: 'Files that were saved', registers }),
      new Counter({ name: 'storage_files_saved_bytes_total', help: contentBytes, registers }),
      new Counter({
        name: 'storage_files_deleted_total',
        help: 'Files that were deleted: expired, or requested by their account',
        labelNames,
        registers,
      }),
    ),
    batches: {
      created: () => batchesCreated.inc(),
      ended: (status) => batchesEnded.inc({ status }),
      runFailed: () => failedRuns.inc(),
      callEnded: (succeeded) => calls.inc({ result: succeeded ? 'succeeded' : 'failed' }),
      deleted: (reason, count) => batchesDeleted.inc({ reason }, count),
    },
    background: createBackgroundMetrics(registers),
    objectStoreFailed: (operation) => storeFailures.inc({ operation }),
  };
}

function createBackgroundMetrics(registers: Registry[]): BackgroundMetrics {
  const created = new Counter({
    name: 'storage_background_responses_created_total',
    help: 'Responses in the background that were created',
    registers,
  });
  const ended = new Counter({
    name: 'storage_background_responses_ended_total',
    help: 'Responses in the background that ended, by their last status',
    labelNames: ['status'] as const,
    registers,
  });
  const wait = new Histogram({
    name: 'storage_background_wait_seconds',
    help: 'From the creation of a response in the background to its first attempt',
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 30, 60, 300, 1_800],
    registers,
  });
  return {
    created: () => created.inc(),
    started: (afterMs) => wait.observe(Math.max(afterMs, 0) / 1_000),
    ended: (status) => ended.inc({ status }),
    track(running) {
      new Gauge({
        name: 'storage_background_responses_running',
        help: 'Responses in the background that this process runs',
        registers,
        collect() {
          this.set(running());
        },
      });
    },
  };
}

const countedBy = (saved: Counter, savedBytes: Counter, deleted: Counter<'reason'>): ContentMetrics => ({
  saved(bytes) {
    saved.inc();
    savedBytes.inc(bytes);
  },
  deleted: (reason, count) => deleted.inc({ reason }, count),
});
