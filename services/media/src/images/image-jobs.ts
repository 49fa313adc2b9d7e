import { type CallOutcome, failedBy } from '@gateway/call-billing';
import { GatewayError } from '@gateway/errors';
import type { LinkReply } from '@gateway/link';
import { costHeader } from '@gateway/money';
import type { Logger } from '@gateway/process';
import { type Failover, type Route, timeoutsOfTarget, UpstreamError } from '@gateway/upstream';
import type { Bill } from '../billing/bill';
import type { Charge } from '../billing/rules/bill-event';
import { failureFacts } from '../calls/failure-facts';
import { sendOnce } from '../calls/send-once';
import { MediaRefused } from '../domain/media-refused';
import type { UpstreamTimeouts } from '../domain/upstream';
import type { OwnKey } from '../idempotency/own-key';
import { withCredibleTokens } from './rules/credible-tokens';
import type { FittedImageOrder } from './rules/fit-image-order';
import { type ImageFailure, imageFailure, noImages } from './rules/image-failure';
import { costOf, type ImageRate, maxOutputTokensOf } from './rules/image-price';
import type { ImageCall, ImageProvider, ImageResult, ImageTokens } from './rules/image-provider';
import { replyBytesOf } from './rules/image-reply-bytes';
import { imageTimeout } from './rules/image-timeout';
import type { JobLease, JobLimiter, JobParties } from './rules/job-limiter';

export type ImageRoute = Route<ImageProvider>;

export type WholeReply = LinkReply & { readonly body: Buffer };

/** An admitted order. */
export interface ImageJob {
  readonly requestId: string;
  readonly accountId: string;
  readonly order: FittedImageOrder;
  readonly rate: ImageRate;
  readonly routes: readonly ImageRoute[];
  readonly bill: Bill;
  readonly own: OwnKey;
  readonly log: Logger;
  toReply(result: ImageResult): WholeReply;
  /** Takes the partial images that the order asks for. */
  readonly onPartial?: ImageCall['onPartial'];
  /** Deletes its files. */
  close(): Promise<void>;
  /** Released once the job uses no memory: when the order has failed, or its reply has been sent. */
  readonly lease: JobLease;
}

export interface ImageJobsOptions {
  readonly failover: Pick<Failover, 'firstAnswer'>;
  readonly timeouts: UpstreamTimeouts;
  /** Time after which the client gets `image_generation_timeout`. */
  readonly timeoutMs: number;
  /** Time after the timeout for which the provider's reply is still awaited. */
  readonly graceMs: number;
  readonly limiter: JobLimiter;
}

/**
 * Orders in flight. Each is carried out to its end and billed whether or not a client waits for it: providers charge for
 * what they generate.
 */
export class ImageJobs {
  readonly #options: ImageJobsOptions;
  readonly #running = new Set<Promise<unknown>>();
  /** Orders whose clients have been answered with a timeout. */
  readonly #late = new WeakSet<ImageJob>();

  constructor(options: ImageJobsOptions) {
    this.#options = options;
  }

  /** Reserves capacity for an order before it is admitted. @throws GatewayError `rate_limited` */
  lease(parties: JobParties, order: FittedImageOrder): JobLease {
    return this.#options.limiter.lease(parties, replyBytesOf(order));
  }

  /**
   * Runs the order and returns its reply. The reader of the reply releases its memory.
   * @throws GatewayError how it failed; `image_generation_timeout` while it continues
   */
  async run(job: ImageJob): Promise<WholeReply> {
    const done = this.#carryOut(job);
    this.#running.add(done);
    const over = () => this.#running.delete(done);
    done.then(over, over);
    try {
      return await withinTime(done, this.#options.timeoutMs, () => this.#late.add(job));
    } catch (error) {
      const release = () => job.lease.release();
      done.then(release, release);
      throw this.#late.has(job) ? imageTimeout(await job.own.late()) : error;
    }
  }

  /** Resolves when the orders in flight have ended. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  async #carryOut(job: ImageJob): Promise<WholeReply> {
    const outcome = await this.#outcomeOf(job);
    const asReported: AsReported = (end) => (this.#late.has(job) ? REPORTED_TIMEOUT : end);
    try {
      if ('result' in outcome) return await succeed(job, outcome.result, asReported);
      throw await failed(job, outcome, asReported);
    } finally {
      job.lease.endJob();
      await job.close().catch((err) => job.log.error({ err }, 'files of a call not released'));
    }
  }

  async #outcomeOf(job: ImageJob): Promise<{ readonly result: ImageResult } | JobFailure> {
    const { timeoutMs, graceMs, failover, timeouts } = this.#options;
    const { requestId, onPartial, own, bill } = job;
    const signal = AbortSignal.timeout(timeoutMs + graceMs);
    const maxOutputTokens = maxOutputTokensOf(job.rate);
    try {
      const order = { ...job.order, ...(maxOutputTokens !== undefined && { maxOutputTokens }) };
      const isResponseStored = () => this.#late.has(job);
      const { answer: result } = await sendOnce<ImageRoute, ImageResult>(failover, {
        ...job,
        async beforeAttempt({ provider }) {
          await own.dispatched();
          await bill.dispatched(provider.id);
        },
        requestTo:
          ({ provider, target }) =>
          (onEnd) =>
            provider
              .generate(
                { ...order, upstreamModel: target.upstreamModel },
                {
                  requestId,
                  signal,
                  isResponseStored,
                  timeouts: timeoutsOfTarget(target, provider.connection, timeouts),
                  ...(onPartial && { onPartial }),
                },
              )
              .finally(onEnd),
      });
      if (result.images.length > 0) return { result: withCredibleTokens(result) };
      return { ...noImages(result.tokens), isOutcomeLost: false };
    } catch (err) {
      logFailure(job.log, err);
      if (!signal.aborted) return { ...imageFailure(err), isOutcomeLost: false };
      return { error: timedOut(err), charge: 'unknown', isOutcomeLost: true };
    }
  }
}

/** A provider's message may contain the client's text and is not logged; a defect of our own is logged with its stack. */
function logFailure(log: Logger, err: unknown): void {
  const isFromProvider = err instanceof UpstreamError || err instanceof MediaRefused;
  if (isFromProvider) log.warn(failureFacts(err), 'image request failed');
  else log.error({ err }, 'image request failed');
}

interface JobFailure extends ImageFailure {
  /** The outcome will never be known. */
  readonly isOutcomeLost: boolean;
}

/** The end of a call as its client saw it, which may be long before the order ends. */
type AsReported = (end: CallOutcome) => CallOutcome;

async function succeed(job: ImageJob, result: ImageResult, asReported: AsReported): Promise<WholeReply> {
  const { bill, own } = job;
  const { reply, charge } = await answered(job, result, asReported);
  try {
    const isOurs = await bill.settle(charge, asReported({ status: reply.status, errorCode: '' }));
    if (!isOurs) throw new Error('another instance ended the bill');
  } catch (cause) {
    // The images have not been charged.
    await own.lost();
    throw new GatewayError('internal_error', { cause });
  }
  await own.answered(reply);
  // Not stored: a repeated call is free.
  return { ...reply, headers: { ...reply.headers, ...costHeader(bill.chargedNano(charge)) } };
}

/** @throws GatewayError with bill and key ended: the result can't be returned, for example for lack of memory */
async function answered(
  job: ImageJob,
  result: ImageResult,
  asReported: AsReported,
): Promise<ReturnType<typeof answerOf>> {
  try {
    return answerOf(job, result);
  } catch (cause) {
    const error = new GatewayError('internal_error', { cause });
    await job.own.lost();
    await job.bill.lose(asReported(failedBy(error)));
    throw error;
  }
}

function answerOf({ order, rate, toReply }: ImageJob, result: ImageResult) {
  const { images, tokens, inputMegapixels } = result;
  const reply = toReply(result);
  const charge: Charge = {
    costNano: costOf(order, rate, { images: images.length, tokens, inputMegapixels }),
    images: images.length,
    ...(tokens && { tokens: sums(tokens) }),
    source: tokens || rate.by === 'image' ? 'provider' : 'counted',
  };
  return { reply, charge };
}

/** The error for the client. */
async function failed(
  { order, rate, bill, own }: ImageJob,
  failure: JobFailure,
  asReported: AsReported,
): Promise<GatewayError> {
  const { error, charge, tokens, isOutcomeLost } = failure;
  const outcome = asReported(failedBy(error));
  const costNano = tokens ? costOf(order, rate, { images: 0, tokens }) : 0n;
  if (charge === 'unknown') await bill.lose(outcome);
  else if (costNano === 0n) await bill.release(outcome);
  else await bill.settle({ costNano, ...(tokens && { tokens: sums(tokens) }) }, outcome);
  await (isOutcomeLost ? own.lost() : own.free());
  return error;
}

const sums = ({ textInput, imageInput, output, textOutput = 0 }: ImageTokens) => ({
  input: textInput + imageInput,
  output: output + textOutput,
});

const timedOut = (cause?: unknown) => new GatewayError('image_generation_timeout', { cause });
const REPORTED_TIMEOUT = failedBy(timedOut());

/** @throws GatewayError `image_generation_timeout` when it takes longer; the order continues */
async function withinTime<T>(work: Promise<T>, timeoutMs: number, onLate: () => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      onLate();
      reject(timedOut());
    }, timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
