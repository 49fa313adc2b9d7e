import { jsonReply, type LinkHandler } from '@gateway/link';
import { parseMessageBatch } from '../batches/rules/message-batch-fields';
import type { Batches } from '../batches/store/batches';
import type { Files } from '../files/store/files';
import type { BatchMetrics } from '../metrics';
import { callHeadersOf, messageBatchObject } from './batch-call';
import type { OriginOf } from './message-batches';
import type { FreeAdmission } from './response-call';

/** `POST /v1/messages/batches`. Its requests become the input file of the batch. */
export const createMessageBatch =
  (
    batches: Pick<Batches, 'create'>,
    files: Pick<Files, 'save' | 'delete'>,
    admitFree: FreeAdmission,
    originOf: OriginOf,
    metrics: Pick<BatchMetrics, 'created'>,
  ): LinkHandler =>
  async (context, call) => {
    const lines = parseMessageBatch(call.body);
    const { accountId, keyId } = call.key;
    const { headers } = await admitFree(context, call, { stores: true });
    const id = `msgbatch_${context.requestId}`;
    const inputFileId = `file-${context.requestId}`;
    const content = async function* () {
      yield* lines;
    };
    await files.save({ accountId, keyId }, inputFileId, async (put) => {
      await put(content());
      return { filename: `${id}_requests.jsonl`, purpose: 'batch' };
    });
    try {
      const batch = await batches.create({
        id,
        accountId,
        keyId,
        format: 'anthropic',
        endpoint: '/v1/messages',
        inputFileId,
        metadata: null,
        headers: callHeadersOf(call),
        total: lines.length,
      });
      metrics.created();
      return jsonReply(messageBatchObject(batch, originOf(call)), headers);
    } catch (error) {
      await files.delete({ accountId }, inputFileId);
      throw error;
    }
  };
