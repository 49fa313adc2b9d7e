import { GatewayError } from '@gateway/errors';
import { jsonReply, type LinkHandler } from '@gateway/link';
import { parseBatchPage } from '../batches/rules/batch-page';
import type { Batches } from '../batches/store/batches';
import { batchIdOf, batchObject } from './batch-call';
import type { FreeAdmission } from './response-call';

/** `GET /v1/batches/{id}`. */
export const getBatch =
  (batches: Pick<Batches, 'find'>, admitFree: FreeAdmission): LinkHandler =>
  async (context, call) => {
    const { headers, reader } = await admitFree(context, call);
    const found = await batches.find(reader, 'openai', batchIdOf(call.path));
    if (!found) throw new GatewayError('not_found');
    return jsonReply(batchObject(found), headers);
  };

/** `GET /v1/batches`. */
export const listBatches =
  (batches: Pick<Batches, 'list'>, admitFree: FreeAdmission): LinkHandler =>
  async (context, call) => {
    const page = parseBatchPage(call.query ?? '');
    const { headers, reader } = await admitFree(context, call);
    const { batches: found, hasMore } = await batches.list(reader, 'openai', page);
    const data = found.map(batchObject);
    const ends = { first_id: data.at(0)?.id ?? null, last_id: data.at(-1)?.id ?? null };
    return jsonReply({ object: 'list', data, ...ends, has_more: hasMore }, headers);
  };

/** `POST /v1/batches/{id}/cancel`. Calls in flight are still answered. */
export const cancelBatch =
  (batches: Pick<Batches, 'find' | 'cancel'>, admitFree: FreeAdmission): LinkHandler =>
  async (context, call) => {
    const { headers, reader } = await admitFree(context, call);
    const id = batchIdOf(call.path);
    const cancelled = await batches.cancel(reader, 'openai', id);
    if (cancelled) return jsonReply(batchObject(cancelled), headers);
    if (!(await batches.find(reader, 'openai', id))) throw new GatewayError('not_found');
    throw new GatewayError('invalid_request', { detail: 'the batch has ended' });
  };
