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
  objectStoreFailed(operation: StoreOperation): void;
}

export function createStorageMetrics(): StorageMetrics {
  const registry = createMetrics();
  const registers = [registry];
  const contentBytes = 'Their content, before encryption';
  const labelNames = ['reason'] as const;
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
