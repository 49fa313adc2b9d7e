import { annotateFailure, type CurrentKeys } from '@gateway/call-billing';
import { GatewayError } from '@gateway/errors';
import { jsonReply, type LinkCall, type LinkHandler, type LinkReply } from '@gateway/link';
import { isBareName } from '@gateway/models';
import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import type { RequestContext } from '@gateway/rpc';
import { type Account, placementOf, routesOf, type TargetHealth } from '@gateway/upstream';
import { type Admission, admitConnected } from '../billing/admission';
import { recordedModel } from '../billing/rules/recorded-model';
import { bufferedBody } from '../calls/buffered-body';
import { checkAllowed } from '../calls/check-allowed';
import { decideByCurrentKey } from '../calls/decide-by-current-key';
import { catalogNotReceived } from '../domain/catalog-not-received';
import type { Model, ModelLookup } from '../domain/model';
import { EVENT_HEADERS, toImageEvents, toPartialEvent } from '../formats/image-events';
import { toImageReply } from '../formats/image-reply';
import type { IdempotentCalls } from '../idempotency/idempotent-calls';
import { operationOf } from '../idempotency/operation-of';
import type { OwnKey } from '../idempotency/own-key';
import { replay } from '../idempotency/replay';
import { BegunStream } from '../images/begun-stream';
import type { ImageJob, ImageJobs, ImageRoute } from '../images/image-jobs';
import { type ReadImageCall, readImageCall } from '../images/read-image-call';
import { type FittedImageOrder, fitImageOrder } from '../images/rules/fit-image-order';
import { resolveImageModel } from '../images/rules/image-model';
import { boundOf, type ImageRate, rateFor } from '../images/rules/image-price';
import type { ImageProvider, ImageResult, PartialImage } from '../images/rules/image-provider';
import type { ImageRequest } from '../images/rules/image-request';
import { imageEndUnknown, imageTimeout } from '../images/rules/image-timeout';
import type { JobLease } from '../images/rules/job-limiter';
import { orderPartialImages } from '../images/rules/partial-images';
import type { FormReader } from '../upload/form-reader';

export interface CreateImageDeps {
  readonly models: ModelLookup & { all(): Model[]; readonly loaded: boolean };
  readonly providers: { accountsOf(provider: string): readonly Account<ImageProvider>[] };
  readonly health: Pick<TargetHealth, 'inFlight' | 'latencyMs'>;
  readonly keys: CurrentKeys;
  readonly forms: Pick<FormReader, 'read'>;
  readonly admission: Pick<Admission, 'admit' | 'admitFree' | 'hasHold'>;
  readonly idempotent: IdempotentCalls;
  readonly jobs: ImageJobs;
}

/** An order that may be admitted. */
interface DecidedImage {
  readonly model: Model;
  readonly order: FittedImageOrder;
  readonly rate: ImageRate;
  readonly routes: readonly ImageRoute[];
}

interface AdmittedImage extends ImageJob {
  /** For partial images; absent: none are ordered. */
  readonly stream?: BegunStream;
}

/** Handles `POST /v1/images` and its aliases. */
export function createImage(deps: CreateImageDeps): LinkHandler {
  return async (context, call) => {
    const read = await readImageCall(call, deps.forms);
    try {
      return await answerRead(deps, context, call, read);
    } catch (thrown) {
      const model = recordedModel(deps.models, read.request.model, thrown);
      annotateFailure(thrown, { model, hasHold: deps.admission.hasHold(context) });
      throw thrown;
    }
  };
}

async function answerRead(
  deps: CreateImageDeps,
  context: RequestContext,
  call: LinkCall,
  read: ReadImageCall,
): Promise<LinkReply> {
  let job: AdmittedImage | undefined;
  try {
    const claimed = await claim(deps, context, call, read.fingerprint);
    if (claimed.kind === 'answered') {
      await decideByCurrentKey(deps.keys, call.key, checkAllowed(deps.models, read.request.model, 'image'));
      return await replay(deps.admission, context, call, claimed.reply);
    }
    job = await admit(deps, context, call, { read, own: claimed.own });
  } finally {
    // From here on the job owns them.
    if (!job) await read.close();
  }
  return answer(deps.jobs, job);
}

async function answer(jobs: ImageJobs, job: AdmittedImage): Promise<LinkReply> {
  const { stream } = job;
  const run = jobs.run(job);
  try {
    if (stream && (await beginsBefore(stream, run))) {
      void stream.end(run, job);
      return { status: 200, headers: { ...EVENT_HEADERS, ...job.bill.headers }, body: stream.body };
    }
    stream?.close();
    const { status, headers, body } = await run;
    return {
      status,
      headers: { ...headers, ...job.bill.headers },
      body: bufferedBody(body, () => job.lease.release()),
    };
  } catch (error) {
    throw error instanceof GatewayError ? error.withRates(job.bill.grant.rates) : error;
  }
}

/** Whether a stream has its first event before the job has ended. */
const beginsBefore = (stream: BegunStream, run: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    stream.begun.then(() => true),
    run.then(
      () => false,
      () => false,
    ),
  ]);

/** Validates the request before money is reserved. @throws GatewayError */
function decide(
  { models, providers, health }: CreateImageDeps,
  request: ImageRequest,
  key: KeyContext__Output,
): DecidedImage {
  if (!models.loaded) throw catalogNotReceived();
  const isProvider = (name: string) => models.all().some(({ slug }) => slug.startsWith(`${name}/`));
  const { model, offer } = resolveImageModel(models, isProvider, request.model, key);
  const fitted = fitImageOrder(request, offer.features);
  const routes = routesOf(model, providers.accountsOf, () =>
    placementOf(model.strategy, model.targets, health, undefined),
  );
  const order = orderPartialImages(fitted, request, offer, routes);
  const rate = rateFor(order, offer);
  if (routes.length > 0) return { model, order, rate, routes };
  const cause = new Error(`no provider of ${model.slug} is configured`);
  throw new GatewayError('upstream_unavailable', { cause });
}

/** @throws GatewayError `image_generation_timeout` when the first call with the key is in flight, or its outcome is unknown */
async function claim(
  { idempotent }: CreateImageDeps,
  context: RequestContext,
  call: LinkCall,
  fingerprint: string,
) {
  const claimed = await idempotent.claim(context, {
    accountId: call.key.accountId,
    operation: operationOf(call.key, 'images'),
    key: call.headers['idempotency-key'],
    fingerprint,
  });
  if (claimed.kind === 'busy') throw imageTimeout({ by: 'same-key' });
  if (claimed.kind === 'unknown') throw imageEndUnknown();
  return claimed;
}

/** @throws GatewayError after releasing the key */
async function admit(
  deps: CreateImageDeps,
  context: RequestContext,
  call: LinkCall,
  { read, own }: { readonly read: ReadImageCall; readonly own: OwnKey },
): Promise<AdmittedImage> {
  const { admission, jobs, keys } = deps;
  const { accountId } = call.key;
  let lease: JobLease | undefined;
  try {
    const decided = await decideByCurrentKey(keys, call.key, (key) => decide(deps, read.request, key));
    const { model, rate, routes } = decided;
    // The provider's own link expires long before the stored response does.
    const acceptsLinks = decided.order.acceptsLinks && call.headers['idempotency-key'] === undefined;
    const order = { ...decided.order, acceptsLinks };
    const { promptTokens, outputTokens, costNano: boundNano } = boundOf(order, rate);
    const tokens = { prompt: promptTokens, output: outputTokens };
    const provider = routes[0]!.provider.id;
    lease = jobs.lease({ accountId, provider }, order);
    const bareModelName = isBareName(read.request.model);
    const { streamed } = read.request;
    const bill = await admitConnected(admission, context, {
      key: call.key,
      model,
      bareModelName,
      provider,
      endpoint: call.path,
      streamed,
      boundNano,
      tokens,
    });
    const toReply = (result: ImageResult) =>
      streamed
        ? toImageEvents(result, order, Date.now())
        : jsonReply(toImageReply(result, order, read.request, Date.now()));
    const { requestId, log } = context;
    const close = () => read.close();
    const job = { requestId, accountId, order, rate, routes, bill, own, log, toReply, close, lease };
    if (!order.partialImages) return job;
    const stream = new BegunStream(context.signal, call.key.detailedMessages);
    const onPartial = (image: PartialImage) => stream.push(toPartialEvent(image, order, Date.now()));
    return { ...job, onPartial, stream };
  } catch (error) {
    lease?.release();
    await own.free();
    throw error;
  }
}
