import type { CurrentKeys } from '@gateway/call-billing';
import { GatewayError, rateHeaders } from '@gateway/errors';
import { parseJsonObject } from '@gateway/json-body';
import type { LinkCall } from '@gateway/link';
import type { RequestContext } from '@gateway/rpc';
import type { Admission } from '../billing/admission';
import { checkAllowed } from '../calls/check-allowed';
import { decideByCurrentKey } from '../calls/decide-by-current-key';
import { BODY_BOUNDS } from '../domain/body-bounds';
import type { ModelLookup } from '../domain/model';
import { isTaskId, parseTaskRequest } from './rules/task-request';
import { offersAction, prefixOf, type VideoAction } from './rules/video-model';
import { videoCostNano } from './rules/video-price';
import type { VideoTask } from './rules/video-task';

/** Of `{task_id}`. */
const MAX_BODY_BYTES = 16 * 1024;

export interface KnownTaskDeps {
  readonly models: ModelLookup;
  readonly keys: CurrentKeys;
  readonly admission: Pick<Admission, 'admitFree'>;
  readonly findTask: (id: string, accountId: string) => Promise<VideoTask | undefined>;
}

export interface KnownTask {
  readonly task: VideoTask;
  /** Of the key's rates, for the answer. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The caller's own task that a poll is about, once the poll has taken its rate. A model that has been delisted since
 * does not keep anybody from a video that is paid for.
 * @throws GatewayError `invalid_request`, `missing_parameter`; `not_found` for a task of somebody else;
 * `video_model_not_found` on the path of another provider, or where its model has no such action; `model_not_found` for
 * a task of a model that the key may not call;
 * `video_billing_error` while its cost is not known; `request_cost_limit` when that is more than was held, and
 * than the key may spend that paid
 */
export async function knownTask(
  { models, keys, admission, findTask }: KnownTaskDeps,
  context: RequestContext,
  call: LinkCall,
  action: VideoAction,
): Promise<KnownTask> {
  const id = parseTaskRequest(parseJsonObject(call.body, { ...BODY_BOUNDS, maxBytes: MAX_BODY_BYTES }).value);
  const task = isTaskId(id) ? await findTask(id, call.key.accountId) : undefined;
  if (!task) throw new GatewayError('not_found');
  const model = models.get(task.model);
  if (prefixOf(task.model) !== segmentOf(call.path) || (model && !offersAction(model, action))) {
    throw new GatewayError('video_model_not_found');
  }
  await decideByCurrentKey(keys, call.key, checkAllowed(models, task.model));
  const { rates, requestCostLimitNano: limitNano } = await admission.admitFree(context, call.key);
  if (task.trouble.unpricedLooks > 0) {
    const cause = new Error(`the seconds of task ${task.id} make no bill`);
    throw new GatewayError('video_billing_error', { cause }).withRates(rates);
  }
  const usedNano = task.costNano ?? 0n;
  if (limitNano !== undefined && usedNano > limitNano && isOverPayersCap(task, call)) {
    throw new GatewayError('request_cost_limit', { cap: { limitNano, usedNano } }).withRates(rates);
  }
  return { task, headers: rateHeaders(rates) };
}

/**
 * The cap is that of the key that paid, and what it let pass on creation is paid for: neither another key's cap nor one
 * lowered since keeps anybody from a video that cost no more than was held.
 */
function isOverPayersCap({ keyId, costNano = 0n, requestedMs, perSecondNano }: VideoTask, { key }: LinkCall) {
  return keyId === key.keyId && costNano > videoCostNano(requestedMs, perSecondNano);
}

/** `/v1/videos/{provider}/create` → `{provider}`. */
export function segmentOf(path: string): string {
  return path.split('/')[3] ?? '';
}
