import { createMetrics } from '@gateway/process';
import { Counter, type Registry } from 'prom-client';

/** Why a response was deleted. */
export type DeletionReason = 'expired' | 'requested';

export interface ResponseMetrics {
  saved(bytes: number): void;
  deleted(reason: DeletionReason, count: number): void;
}

export function createStorageMetrics(): { registry: Registry; responses: ResponseMetrics } {
  const registry = createMetrics();
  const registers = [registry];
  const saved = new Counter({
    name: 'storage_responses_saved_total',
    help: 'Responses that were saved',
    registers,
  });
  const savedBytes = new Counter({
    name: 'storage_responses_saved_bytes_total',
    help: 'Their content, before encryption',
    registers,
  });
  const deleted = new Counter({
    name: 'storage_responses_deleted_total',
    help: 'Responses that were deleted: expired, or requested by their account',
    labelNames: ['reason'],
    registers,
  });
  return {
    registry,
    responses: {
      saved(bytes) {
        saved.inc();
        savedBytes.inc(bytes);
      },
      deleted: (reason, count) => deleted.inc({ reason }, count),
    },
  };
}
