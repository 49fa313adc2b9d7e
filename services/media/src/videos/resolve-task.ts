import type { CurrentKeys } from '@gateway/call-billing';
import { GatewayError, rateHeaders } from '@gateway/errors';
import { parseJsonObject } from '@gateway/json-body';
import type { LinkCall } from '@gateway/link';
import { ACCOUNT_CONTENT, allowsScope } from '@gateway/models';
import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
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

/** From `{task_id}`. */
const MAX_BODY_BYTES = 16 * 1024;

export interface ResolveTaskDeps {
  readonly models: ModelLookup;
  readonly keys: CurrentKeys;
  readonly admission: Pick<Admission, 'admitFree'>;
  readonly findTask: (id: string, accountId: string) => Promise<VideoTask | undefined>;
}

export interface ResolvedTask {
  readonly task: VideoTask;
  /** The key's rate limits, for the response. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Returns the caller's task that a poll names, after counting the poll against the key's RPM. A delisted model does not
 * prevent access to a video that was paid for.
 * @throws GatewayError `invalid_request`, `missing_parameter`; `not_found` for another account's task, or another key's that
 * the key does not see;
 * `video_model_not_found` on the path of another provider, or if the model has no such action; `model_not_found` for a task
 * of a model that the key may not call; `video_billing_error` while its cost is unknown; `request_cost_limit` when the cost
 * exceeds both the hold and the cap of the key that paid
 */
export async function resolveTask(
  { models, keys, admission, findTask }: ResolveTaskDeps,
  context: RequestContext,
  call: LinkCall,
  action: VideoAction,
): Promise<ResolvedTask> {
  const id = parseTaskRequest(parseJsonObject(call.body, { ...BODY_BOUNDS, maxBytes: MAX_BODY_BYTES }).value);
  const task = isTaskId(id) ? await findTask(id, call.key.accountId) : undefined;
  if (!task || !(await seesTask(keys, call.key, task))) throw new GatewayError('not_found');
  const model = models.get(task.model);
  if (prefixOf(task.model) !== segmentOf(call.path) || (model && !offersAction(model, action))) {
    throw new GatewayError('video_model_not_found');
  }
  await decideByCurrentKey(keys, call.key, checkAllowed(models, task.model, 'video'));
  const grant = await admission.admitFree(context, call);
  const { rates, requestCostLimitNano: limitNano } = grant;
  if (grant.ownContentOnly && task.keyId !== call.key.keyId) throw new GatewayError('not_found');
  if (task.problems.unpricedPolls > 0) {
    const cause = new Error(`the duration of task ${task.id} reported by its provider can't be billed`);
    throw new GatewayError('video_billing_error', { cause }).withRates(rates);
  }
  const usedNano = task.costNano ?? 0n;
  if (limitNano !== undefined && usedNano > limitNano && isOverPayersCap(task, call)) {
    throw new GatewayError('request_cost_limit', { cap: { limitNano, usedNano } }).withRates(rates);
  }
  return { task, headers: rateHeaders(rates) };
}

/** Decided by the cached key; a refusal only by the current one. */
async function seesTask(keys: CurrentKeys, key: KeyContext__Output, { keyId }: VideoTask): Promise<boolean> {
  if (keyId === key.keyId || allowsScope(key, ACCOUNT_CONTENT)) return true;
  return allowsScope(await keys.current(key), ACCOUNT_CONTENT);
}

/**
 * The cap of the key that paid applies, and what it allowed at creation is paid for: neither another key's cap nor one that
 * was lowered later prevents access to a video that cost no more than its hold.
 */
function isOverPayersCap({ keyId, costNano = 0n, requestedMs, perSecondNano }: VideoTask, { key }: LinkCall) {
  return keyId === key.keyId && costNano > videoCostNano(requestedMs, perSecondNano);
}

/** `/v1/videos/{provider}/create` → `{provider}`. */
export function segmentOf(path: string): string {
  return path.split('/')[3] ?? '';
}
