import { GatewayError } from '@gateway/errors';
import { jsonReply, type LinkHandler } from '@gateway/link';
import { parseBatchFields } from '../batches/rules/batch-fields';
import type { Batches } from '../batches/store/batches';
import type { Files } from '../files/store/files';
import type { BatchMetrics } from '../metrics';
import { batchObject, callHeadersOf } from './batch-call';
import type { FreeAdmission } from './response-call';

/** `POST /v1/batches`. The calls of a batch are validated and sent later. */
export const createBatch =
  (
    batches: Pick<Batches, 'create'>,
    files: Pick<Files, 'find'>,
    admitFree: FreeAdmission,
    metrics: Pick<BatchMetrics, 'created'>,
  ): LinkHandler =>
  async (context, call) => {
    const { key } = call;
    const fields = parseBatchFields(call.body);
    const { headers, reader } = await admitFree(context, call, { stores: true });
    const { accountId, keyId } = key;
    const input = await files.find(reader, fields.inputFileId);
    if (input && input.purpose !== 'batch')
      throw new GatewayError('invalid_request', {
        detail: 'input_file_id: the purpose of the file is not batch',
        param: 'input_file_id',
      });
    const id = `batch_${context.requestId}`;
    const created = await batches.create({
      id,
      accountId,
      keyId,
      format: 'openai',
      headers: callHeadersOf(call),
      ...fields,
    });
    metrics.created();
    return jsonReply(batchObject(created), headers);
  };
