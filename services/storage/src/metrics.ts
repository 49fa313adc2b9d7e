import { createMetrics } from '@gateway/process';
import { Counter, type Registry } from 'prom-client';
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
    objectStoreFailed: (operation) => storeFailures.inc({ operation }),
  };
}

const countedBy = (saved: Counter, savedBytes: Counter, deleted: Counter<'reason'>): ContentMetrics => ({
  saved(bytes) {
    saved.inc();
    savedBytes.inc(bytes);
  },
  deleted: (reason, count) => deleted.inc({ reason }, count),
});
