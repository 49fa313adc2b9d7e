import { GatewayError } from '@gateway/errors';
import { jsonReply, type LinkCall, type LinkHandler } from '@gateway/link';
import { parseMessageBatchPage } from '../batches/rules/batch-page';
import type { Batches } from '../batches/store/batches';
import type { Files } from '../files/store/files';
import type { BatchMetrics } from '../metrics';
import { batchIdOf, messageBatchObject } from './batch-call';
import { contentReply, type FileReads } from './get-file-content';
import type { FreeAdmission } from './response-call';

/** Returns the origin of the API at which a call arrived, for links. */
export type OriginOf = (call: LinkCall) => string;

/** `GET /v1/messages/batches/{id}`. */
export const getMessageBatch =
  (batches: Pick<Batches, 'find'>, admitFree: FreeAdmission, originOf: OriginOf): LinkHandler =>
  async (context, call) => {
    const { headers, reader } = await admitFree(context, call);
    const found = await batches.find(reader, 'anthropic', batchIdOf(call.path));
    if (!found) throw new GatewayError('not_found');
    return jsonReply(messageBatchObject(found, originOf(call)), headers);
  };

/** `GET /v1/messages/batches`. */
export const listMessageBatches =
  (batches: Pick<Batches, 'list'>, admitFree: FreeAdmission, originOf: OriginOf): LinkHandler =>
  async (context, call) => {
    const page = parseMessageBatchPage(call.query ?? '');
    const { headers, reader } = await admitFree(context, call);
    const { batches: found, hasMore } = await batches.list(reader, 'anthropic', page);
    const data = found.map((batch) => messageBatchObject(batch, originOf(call)));
    const ends = { first_id: data.at(0)?.id ?? null, last_id: data.at(-1)?.id ?? null };
    return jsonReply({ data, has_more: hasMore, ...ends }, headers);
  };

/** `POST /v1/messages/batches/{id}/cancel`. Calls in flight are still answered. A batch that has ended stays as it is. */
export const cancelMessageBatch =
  (batches: Pick<Batches, 'find' | 'cancel'>, admitFree: FreeAdmission, originOf: OriginOf): LinkHandler =>
  async (context, call) => {
    const { headers, reader } = await admitFree(context, call);
    const id = batchIdOf(call.path);
    const cancelled = await batches.cancel(reader, 'anthropic', id);
    const found = cancelled ?? (await batches.find(reader, 'anthropic', id));
    if (!found) throw new GatewayError('not_found');
    return jsonReply(messageBatchObject(found, originOf(call)), headers);
  };

/** `POST /v1/messages/batches/{id}/delete`: with its requests and results. */
export const deleteMessageBatch =
  (
    batches: Pick<Batches, 'find' | 'delete'>,
    files: Pick<Files, 'delete'>,
    admitFree: FreeAdmission,
    metrics: Pick<BatchMetrics, 'deleted'>,
  ): LinkHandler =>
  async (context, call) => {
    const { headers, reader } = await admitFree(context, call);
    const id = batchIdOf(call.path);
    const found = await batches.find(reader, 'anthropic', id);
    if (!found) throw new GatewayError('not_found');
    if (!(await batches.delete(reader, 'anthropic', id)))
      throw new GatewayError('invalid_request', { detail: 'the batch has not ended' });
    metrics.deleted('requested', 1);
    const { accountId } = reader;
    await files.delete({ accountId }, found.inputFileId);
    if (found.outputFileId) await files.delete({ accountId }, found.outputFileId);
    return jsonReply({ id, type: 'message_batch_deleted' }, headers);
  };

/** `GET /v1/messages/batches/{id}/results`. */
export const getMessageBatchResults =
  (batches: Pick<Batches, 'find'>, reads: FileReads, admitFree: FreeAdmission): LinkHandler =>
  async (context, call) => {
    const { headers, reader } = await admitFree(context, call);
    const found = await batches.find(reader, 'anthropic', batchIdOf(call.path));
    if (!found) throw new GatewayError('not_found');
    if (!found.endedAt) throw new GatewayError('invalid_request', { detail: 'the batch has not ended' });
    const id = found.outputFileId;
    if (!id) throw new GatewayError('not_found');
    return contentReply(reads, context, { accountId: reader.accountId }, id, {
      ...headers,
      'content-type': 'application/x-jsonl',
    });
  };
