import { ANSWERED, CLIENT_DISCONNECTED, failedBy } from '@gateway/call-billing';
import { GatewayError, toErrorFrame } from '@gateway/errors';
import type { LinkReply } from '@gateway/link';
import { costHeader } from '@gateway/money';
import type { RequestContext } from '@gateway/rpc';
import {
  type Failover,
  failureOf,
  type Route,
  timeoutsOfTarget,
  toGatewayError,
  UpstreamError,
} from '@gateway/upstream';
import type { Bill } from '../billing/bill';
import { ClientStream } from '../calls/client-stream';
import { failureFacts } from '../calls/failure-facts';
import type { Pace } from '../calls/paced-body';
import { sendOnce } from '../calls/send-once';
import { mayHaveArrived } from '../domain/may-have-arrived';
import type { UpstreamTimeouts } from '../domain/upstream';
import type { ProviderCall } from '../images/rules/image-provider';
import { type AudioRate, type AudioSize, chargeOf } from './rules/audio-price';
import type { AudioProvider, AudioReply } from './rules/audio-provider';

/** An admitted call. */
export interface AudioCall {
  readonly accountId: string;
  /** The detail of an error follows in its message. */
  readonly detailedMessages: boolean;
  readonly routes: readonly Route<AudioProvider>[];
  readonly bill: Bill;
  readonly rate: AudioRate;
  /** What is charged if the provider reports nothing. */
  readonly expected: AudioSize;
  send(route: Route<AudioProvider>, call: ProviderCall): Promise<AudioReply>;
  /** Releases what the call occupies; called once. */
  close(): Promise<void>;
}

export interface AudioCallsOptions {
  readonly failover: Pick<Failover, 'firstAnswer'>;
  readonly timeouts: UpstreamTimeouts;
  /** Until the provider begins to reply, and again from the moment the client disconnects. */
  readonly timeoutMs: number;
}

interface BegunReply extends AudioReply {
  /** Called when the reply is complete at the provider, or with what broke it. */
  readonly over: (error?: unknown) => void;
}

/** Slower than any player reads. */
const PACE: Pace = { graceMs: 60_000, leastBytesPerSecond: 4 * 1024 };

/**
 * Sends calls to providers and streams their replies through. A call continues to its end without its client, because providers
 * charge for what they generate.
 */
export class AudioCalls {
  readonly #options: AudioCallsOptions;
  readonly #running = new Set<Promise<void>>();

  constructor(options: AudioCallsOptions) {
    this.#options = options;
  }

  /** Resolves when the calls in progress have ended. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  /**
   * Resolves when the first bytes of the reply are there.
   * @throws GatewayError how the provider failed before, with the bill ended
   */
  async begin(context: RequestContext, call: AudioCall): Promise<LinkReply> {
    const { timeoutMs } = this.#options;
    const deadline = new Deadline(timeoutMs);
    let reply: BegunReply;
    try {
      reply = await this.#dispatch(context, call, deadline.signal);
    } catch (thrown) {
      throw await endFailed(context, call, thrown).finally(() => closed(context, call, deadline));
    }
    deadline.clear();
    const client = new ClientStream(context.signal, PACE);
    client.onLeft = () => deadline.restart();
    const first = Promise.withResolvers<bigint | undefined>();
    const done = deliver(context, call, { reply, client, onFirst: first.resolve })
      .catch((error) => {
        first.reject(error);
        client.end(error);
      })
      .finally(() => closed(context, call, deadline));
    this.#running.add(done);
    done.finally(() => this.#running.delete(done));
    const chargedNano = await first.promise;
    return {
      status: 200,
      headers: {
        ...call.bill.headers,
        ...(chargedNano !== undefined && !reply.isEvents && costHeader(chargedNano)),
        'content-type': reply.contentType,
        ...(reply.isEvents && { 'cache-control': 'no-cache', 'x-accel-buffering': 'no' }),
      },
      body: client,
    };
  }

  async #dispatch(context: RequestContext, call: AudioCall, signal: AbortSignal): Promise<BegunReply> {
    const { failover, timeouts } = this.#options;
    const { requestId, log } = context;
    const { answer } = await sendOnce<Route<AudioProvider>, BegunReply>(failover, {
      accountId: call.accountId,
      routes: call.routes,
      log,
      beforeAttempt: ({ provider }) => call.bill.dispatched(provider.id),
      requestTo: (route) => async (over) => {
        const { provider, target } = route;
        const reply = await call.send(route, {
          requestId,
          signal,
          timeouts: timeoutsOfTarget(target, provider.connection, timeouts),
        });
        call.bill.answeredBy(provider.id);
        return { ...reply, over };
      },
    });
    return answer;
  }
}

interface Delivery {
  readonly reply: BegunReply;
  readonly client: ClientStream;
  /**
   * Called when the reply's first bytes are there, or it has ended.
   * @param chargedNano known when the reply has ended
   */
  onFirst(chargedNano?: bigint): void;
}

/**
 * Passes the reply on and ends the bill. The client gets the end of the reply only when the charge is durable.
 * @throws GatewayError for a reply that failed before its first bytes
 */
async function deliver(context: RequestContext, call: AudioCall, { reply, client, onFirst }: Delivery) {
  const last: Buffer[] = [];
  let hasBegun = false;
  try {
    for await (const piece of reply.body) {
      // With its use the provider reports the end of the reply.
      if (reply.use()) last.push(piece);
      else {
        hasBegun = true;
        onFirst();
        await client.push(piece);
      }
    }
    reply.over();
  } catch (thrown) {
    reply.over(thrown);
    if (reply.use()) await settle(call, reply, client);
    const error = reply.use() ? toError(thrown) : await endFailed(context, call, thrown);
    if (!hasBegun) throw error;
    const sent = error.withDetailedMessage(call.detailedMessages);
    if (reply.isEvents) await client.push(Buffer.from(toErrorFrame(sent, 'data')));
    client.end(reply.isEvents ? undefined : error);
    return;
  }
  onFirst(await settle(call, reply, client));
  for (const piece of last) await client.push(piece);
  client.end();
}

/**
 * Returns what the account is charged.
 * @throws GatewayError `internal_error` if the charge is not ours any more
 */
async function settle({ bill, rate, expected }: AudioCall, reply: AudioReply, client: ClientStream) {
  const outcome = client.hasLeft ? CLIENT_DISCONNECTED : ANSWERED;
  const charge = chargeOf(rate, reply.use(), expected);
  if (await bill.settle(charge, outcome)) return bill.chargedNano(charge);
  throw new GatewayError('internal_error', { cause: new Error('another instance ended the bill') });
}

/** Ends the bill of a call that failed, and returns the error for its client. */
async function endFailed(
  context: RequestContext,
  { bill }: AudioCall,
  thrown: unknown,
): Promise<GatewayError> {
  const error = toError(thrown);
  if (thrown instanceof UpstreamError) context.log.warn(failureFacts(thrown), 'audio call failed');
  else context.log.error({ err: thrown }, 'audio call failed');
  const outcome = failedBy(error);
  // A reply that breaks off may have been charged.
  const isUnknown = !(thrown instanceof GatewayError) && failureOf(thrown).kind === 'broken';
  await (isUnknown && mayHaveArrived(thrown) ? bill.lose(outcome) : bill.release(outcome));
  return error.withRates(bill.grant.rates);
}

const toError = (thrown: unknown): GatewayError =>
  thrown instanceof GatewayError ? thrown : toGatewayError(failureOf(thrown));

async function closed(context: RequestContext, call: AudioCall, deadline: Deadline): Promise<void> {
  deadline.clear();
  await call.close().catch((err) => context.log.error({ err }, 'files of a call not released'));
}

class Deadline {
  readonly #abort = new AbortController();
  readonly #timeoutMs: number;
  #timer: NodeJS.Timeout;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
    this.#timer = this.#start();
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  restart(): void {
    this.clear();
    this.#timer = this.#start();
  }

  clear(): void {
    clearTimeout(this.#timer);
  }

  #start(): NodeJS.Timeout {
    return setTimeout(() => this.#abort.abort(new Error('the provider took too long')), this.#timeoutMs);
  }
}
