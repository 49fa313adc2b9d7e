import type { LinkCall } from '@gateway/link';
import { usdFromNano } from '@gateway/money';
import type { Batch } from '../batches/rules/batch';

/** The path of a batch, and its rest: `/cancel`, if any. */
const BATCH_PATH = /^\/v1\/batches\/([^/]+)(\/[a-z_]+)?$/;
const MESSAGE_BATCH_PATH = /^\/v1\/messages\/batches\/([^/]+)(\/[a-z_]+)?$/;

/** Ids are compared as they are: none of the gateway's needs an encoding. */
export const batchIdOf = (path: string): string =>
  (MESSAGE_BATCH_PATH.exec(path) ?? BATCH_PATH.exec(path))?.[1] ?? '';

/** Headers of the call that creates a batch which its calls have too. */
const COPIED_HEADERS = ['anthropic-version', 'anthropic-beta', 'x-gateway-fallback'];

export const callHeadersOf = ({ headers }: LinkCall): Readonly<Record<string, string>> =>
  Object.fromEntries(
    COPIED_HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
  );

const seconds = (at: Date | null): number | null => at && Math.floor(at.getTime() / 1_000);
const when = (is: boolean, at: Date | null): number | null => (is ? seconds(at) : null);

/** Returns a batch as OpenAI's API has it, with the sum of its charges in USD as `usage.cost`. */
export function batchObject(batch: Batch) {
  const { status, problems, counts, usage, endedAt, cancellingAt } = batch;
  const isCancelling = cancellingAt !== null && endedAt === null;
  const hasFiles = endedAt !== null && status !== 'failed';
  return {
    id: batch.id,
    object: 'batch',
    endpoint: batch.endpoint,
    errors: problems.length > 0 ? { object: 'list', data: problems } : null,
    input_file_id: batch.inputFileId,
    completion_window: '24h',
    status: isCancelling ? 'cancelling' : status,
    output_file_id: hasFiles ? batch.outputFileId : null,
    error_file_id: hasFiles ? batch.errorFileId : null,
    created_at: seconds(batch.createdAt),
    in_progress_at: seconds(batch.startedAt),
    expires_at: seconds(batch.deadlineAt),
    finalizing_at: seconds(batch.finalizingAt),
    completed_at: when(status === 'completed', endedAt),
    failed_at: when(status === 'failed', endedAt),
    expired_at: when(status === 'expired', endedAt),
    cancelling_at: seconds(cancellingAt),
    cancelled_at: when(status === 'cancelled', endedAt),
    request_counts: { total: counts.total, completed: counts.succeeded, failed: counts.failed },
    metadata: batch.metadata,
    ...(endedAt && {
      usage: {
        input_tokens: usage.inputTokens,
        input_tokens_details: { cached_tokens: usage.cachedTokens },
        output_tokens: usage.outputTokens,
        output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
        total_tokens: usage.inputTokens + usage.outputTokens,
        cost: usdFromNano(usage.costNano),
      },
    }),
  };
}

/** Returns a batch as Anthropic's API has it. @param origin of the API, for the link to the results */
export function messageBatchObject(batch: Batch, origin: string) {
  const { id, status, counts, endedAt, cancellingAt } = batch;
  const unsent = counts.total - counts.succeeded - counts.failed;
  const hasEnded = endedAt !== null;
  return {
    id,
    type: 'message_batch',
    processing_status: hasEnded ? 'ended' : cancellingAt ? 'canceling' : 'in_progress',
    // As Anthropic's API has them: the calls are counted when all have ended.
    request_counts: {
      processing: hasEnded ? 0 : counts.total,
      succeeded: hasEnded ? counts.succeeded : 0,
      errored: hasEnded ? counts.failed : 0,
      canceled: status === 'cancelled' ? unsent : 0,
      expired: status === 'expired' ? unsent : 0,
    },
    created_at: batch.createdAt.toISOString(),
    expires_at: batch.deadlineAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
    cancel_initiated_at: cancellingAt?.toISOString() ?? null,
    archived_at: null,
    results_url: hasEnded && batch.outputFileId ? `${origin}/v1/messages/batches/${id}/results` : null,
  };
}
