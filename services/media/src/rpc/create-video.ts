import { annotateFailure, type CurrentKeys, failedBy } from '@gateway/call-billing';
import { GatewayError } from '@gateway/errors';
import { jsonReply, type LinkCall, type LinkHandler, type LinkReply } from '@gateway/link';
import { isBareName, ModelNotAllowed, type ModelPermissions } from '@gateway/models';
import type { Quota } from '@gateway/quota';
import type { RequestContext } from '@gateway/rpc';
import {
  checkLinkHosts,
  type FindAddresses,
  placementOf,
  routesOf,
  type TargetHealth,
} from '@gateway/upstream';
import { type Admission, admitConnected } from '../billing/admission';
import type { Bill } from '../billing/bill';
import { recordedModel } from '../billing/rules/recorded-model';
import { checkAllowed } from '../calls/check-allowed';
import { decideByCurrentKey } from '../calls/decide-by-current-key';
import { catalogNotReceived } from '../domain/catalog-not-received';
import type { Model, ModelLookup } from '../domain/model';
import { isUpload } from '../domain/upload';
import type { IdempotentCalls } from '../idempotency/idempotent-calls';
import { operationOf } from '../idempotency/operation-of';
import type { OwnKey } from '../idempotency/own-key';
import { replay } from '../idempotency/replay';
import type { ClaimedCall } from '../idempotency/rules/idempotency';
import type { Tasks } from '../store/tasks';
import type { FormReader } from '../upload/form-reader';
import type { VideoProviders } from '../videos/poll-task';
import { readVideoCall } from '../videos/read-video-call';
import { segmentOf } from '../videos/resolve-task';
import { fitVideoRequest, unsupported, type VideoParameters } from '../videos/rules/fit-video-request';
import { inDoubt } from '../videos/rules/submit-failure';
import { resolveVideoModel } from '../videos/rules/video-model';
import { videoCostNano } from '../videos/rules/video-price';
import type { VideoOrder } from '../videos/rules/video-provider';
import type { VideoRequest } from '../videos/rules/video-request';
import type { TaskWriter } from '../videos/task-writer';
import { toCreatedJson } from '../videos/video-json';
import type { VideoRoute, VideoSubmitter } from '../videos/video-submitter';

export interface CreateVideoDeps {
  readonly models: ModelLookup & { readonly loaded: boolean };
  readonly providers: Pick<VideoProviders, 'accountsOf'>;
  readonly health: Pick<TargetHealth, 'inFlight' | 'latencyMs'>;
  readonly keys: CurrentKeys;
  readonly forms: Pick<FormReader, 'read'>;
  readonly admission: Pick<Admission, 'admit' | 'admitFree' | 'hasHold'>;
  readonly idempotent: IdempotentCalls;
  readonly submitter: VideoSubmitter;
  readonly taskWriter: TaskWriter;
  readonly tasks: Pick<Tasks, 'findByKey'>;
  readonly newTaskId: () => string;
  /** Of the hosts of links. */
  readonly addressesOf: FindAddresses;
  /** For JSON bodies, which are in memory until their order is accepted, whether or not their clients wait. */
  readonly bodies: Quota;
}

/** The body itself, and the files in it. */
const BODY_COPIES = 2;

/** An order that its model supports. */
interface Prepared {
  readonly model: Model;
  readonly terms: VideoParameters;
  readonly order: Omit<VideoOrder, 'upstreamModel'>;
  readonly routes: readonly VideoRoute[];
}

/** Handles `POST /v1/videos/{provider}/create`. */
export function createVideo(deps: CreateVideoDeps): LinkHandler {
  return async (context, call) => {
    const release = deps.bodies.lease(call.key.accountId, BODY_COPIES * call.body.length);
    try {
      return await answerCall(deps, context, call);
    } finally {
      release();
    }
  };
}

async function answerCall(
  deps: CreateVideoDeps,
  context: RequestContext,
  call: LinkCall,
): Promise<LinkReply> {
  const read = await readVideoCall(deps.forms, call);
  try {
    const claim: Omit<ClaimedCall, 'requestId' | 'key'> = {
      accountId: call.key.accountId,
      operation: operationOf(call.key, `videos/${segmentOf(call.path)}/create`),
      fingerprint: read.fingerprint,
    };
    const key = call.headers['idempotency-key'];
    const claimed = await deps.idempotent.claim(context, { ...claim, key });
    if (claimed.kind === 'mine') return await carryOut(deps, context, call, read.request, claimed.own);
    await decideByCurrentKey(deps.keys, call.key, checkAllowed(deps.models, read.request.model, 'video'));
    if (claimed.kind === 'answered') return await replay(deps.admission, context, call, claimed.reply);
    const known = await deps.tasks.findByKey(claim.accountId, claim.operation, key ?? '');
    if (!known) throw inDoubt(new Error('the outcome of the first call with its key is unknown'));
    const { body, ...head } = jsonReply(toCreatedJson(known));
    return await replay(deps.admission, context, call, { ...head, open: async () => body });
  } catch (thrown) {
    const model = recordedModel(deps.models, read.request.model, thrown);
    annotateFailure(thrown, { model, hasHold: deps.admission.hasHold(context) });
    throw thrown;
  } finally {
    await read.close();
  }
}

/** Checks the call before anything is spent. @throws GatewayError */
function prepare(
  { models, providers, health }: CreateVideoDeps,
  path: string,
  request: VideoRequest,
  access: ModelPermissions,
): Prepared {
  if (!models.loaded) throw catalogNotReceived();
  const wanted = { name: request.model, segment: segmentOf(path), access };
  const { model, offer } = resolveVideoModel(models, wanted, (held) => new ModelNotAllowed(held));
  const terms = fitVideoRequest(request, offer);
  const { prompt, images } = request;
  const { perSecondNano: _price, ...agreed } = terms;
  const order = { prompt, images, ...agreed };
  const routes = routesOf(model, providers.accountsOf, () =>
    placementOf(model.strategy, model.targets, health, undefined),
  );
  if (routes.length === 0) {
    const cause = new Error(`no provider of ${model.slug} is configured`);
    throw new GatewayError('upstream_unavailable', { cause });
  }
  const obstacles = routes.map((route) => unsupportedReason(route, order));
  const able = routes.filter((_, index) => obstacles[index] === undefined);
  if (able.length === 0) throw unsupported(obstacles[0] ?? '');
  return { model, terms, order, routes: able };
}

function unsupportedReason({ provider, target }: VideoRoute, order: Prepared['order']): string | undefined {
  if (takesNoLinks(provider) && !order.images.every(isUpload))
    return 'reference_images: this model does not accept URLs; upload files or use data: URLs';
  return provider.unsupportedReason?.({ ...order, upstreamModel: target.upstreamModel });
}

/** Of its kind, or by its operator's choice. */
const takesNoLinks = ({ fetchesLinks, connection }: VideoRoute['provider']): boolean =>
  !fetchesLinks || connection?.links === 'refuse';

async function carryOut(
  deps: CreateVideoDeps,
  context: RequestContext,
  call: LinkCall,
  request: VideoRequest,
  own: OwnKey,
): Promise<LinkReply> {
  const taskId = deps.newTaskId();
  const { prepared, bill } = await admit(deps, context, call, { request, taskId }).catch(async (refusal) => {
    await own.free();
    throw refusal;
  });
  const { model, terms, order, routes } = prepared;
  const { seconds, perSecondNano, tier } = terms;
  const price = { requestedMs: millisecondsOf(seconds), perSecondNano };
  const submitted = await deps.submitter.submit({
    bill,
    own,
    order,
    price,
    routes,
    taskId,
    log: context.log,
  });
  const { accountId, keyId } = call.key;
  const origin = { requestId: context.requestId, accountId, keyId, model: model.slug };
  const task = { id: taskId, ...origin, ...submitted, tier, ...price };
  const stored = await deps.taskWriter
    .write(context, task, (client) => bill.handOver(client))
    .catch(async (failure) => {
      await own.lost();
      // The provider has a task that is not stored here.
      await bill.lose(failedBy(GatewayError.from(failure)));
      throw failure;
    });
  const reply = jsonReply(toCreatedJson(stored));
  await own.answered(reply);
  return { ...reply, headers: { ...reply.headers, ...bill.headers } };
}

async function admit(
  deps: CreateVideoDeps,
  context: RequestContext,
  { key, path }: LinkCall,
  { request, taskId }: { readonly request: VideoRequest; readonly taskId: string },
): Promise<{ readonly prepared: Prepared; readonly bill: Bill }> {
  const prepared = await decideByCurrentKey(deps.keys, key, (access) => prepare(deps, path, request, access));
  const { model, terms, order, routes } = prepared;
  await checkLinkHosts(
    routes,
    order.images.flatMap((image) => (isUpload(image) ? [] : [image.url])),
    deps.addressesOf,
  );
  const provider = routes[0]!.provider.id;
  const boundNano = videoCostNano(millisecondsOf(terms.seconds), terms.perSecondNano);
  const bareModelName = isBareName(request.model);
  const asked = { key, model, bareModelName, provider, endpoint: path, boundNano, taskId };
  return { prepared, bill: await admitConnected(deps.admission, context, asked) };
}

const millisecondsOf = (seconds: number): bigint => BigInt(seconds * 1_000);
