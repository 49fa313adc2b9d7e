import { ANSWERED, type CallOutcome, CLIENT_DISCONNECTED, failedBy } from '@gateway/call-billing';
import { GatewayError } from '@gateway/errors';
import type { LinkReply } from '@gateway/link';
import type { RequestContext } from '@gateway/rpc';
import {
  type CredentialLimiter,
  isClientError,
  type JsonObject,
  nameProviderRequest,
  toGatewayError,
  UpstreamError,
} from '@gateway/upstream';
import type { ReplyIdentity } from '../domain/caller-request';
import type { ChatProvider, MeteredStream, PassedReply, WholeReply } from '../domain/chat-provider';
import { hasOtherRoot, InnerOutputReader, withoutObjectRoot } from '../domain/object-output';
import { passesThrough } from '../domain/passes-through';
import { probableOutput } from '../domain/probable-output';
import type { Reply, StreamReader } from '../domain/reply';
import type { ReplyMemory } from '../domain/reply-memory';
import type { Route } from '../domain/route';
import { estimateInput, mediaBound } from '../domain/upper-bound';
import { type BilledUsage, ofTier, type TokenUsage, type UsageSource } from '../domain/usage';
import { withCost, withUsage } from '../json/with-cost';
import type { TargetMetrics } from '../metrics';
import { readReply } from '../providers/read-reply';
import { failureInBody } from '../providers/refusal';
import type { AbandonedCalls, ProviderCall } from './abandoned-calls';
import type { AdmittedCall, ModelCall } from './admitted-call';
import { type AnswerBufferedDeps, answerBuffered, type SettledReply } from './answer-buffered';
import type { Dispatcher, StartedReply } from './dispatcher';
import { dispatch, endUnanswered } from './end-unanswered';
import {
  countedUsage,
  countUse,
  type FinalUsage,
  finalUsage,
  type Sent,
  tierOf,
  usageSoFar,
  wholeUsage,
  withoutEcho,
} from './final-usage';
import { OutgoingEvents } from './outgoing-events';
import type { ProgressClock } from './progress-clock';
import { restorerOf } from './restorer';
import { TranslatedStream } from './translated-stream';
import { within } from './within';

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};
/** A comment of server-sent events, which clients ignore. */
const KEEP_ALIVE_COMMENT = ': keep-alive\n\n';
/** Some providers send a token in several chunks; a provider beyond this ignores its maximum. */
const MAX_EVENTS_PER_TOKEN = 8;
const SPARE_EVENTS = 4_096;
/** Pings may go on forever. Models with hidden reasoning send nothing else, for an hour at worst. */
const MAX_SILENCE_MS = 2 * 3_600_000;
/** More providers than an operator configures. */
const MAX_WARNINGS = 1_000;

export interface ChatRunnerDeps extends AnswerBufferedDeps {
  readonly dispatcher: Pick<Dispatcher, 'begin'>;
  readonly abandoned: Pick<AbandonedCalls, 'begin'>;
  readonly clock: ProgressClock;
  readonly metrics: Pick<TargetMetrics, 'streamBroke' | 'clientDisconnected'>;
  readonly limiter: Pick<CredentialLimiter, 'addOutput' | 'addCost'>;
  /** A client without data for much longer may consider the connection dead. */
  readonly keepAliveMs: number;
}

/** Sends admitted calls to their providers and returns the replies, metered. */
export class ChatRunner {
  readonly #deps: ChatRunnerDeps;
  /** Ids of providers. */
  readonly #warnedOf = new Set<string>();

  constructor(deps: ChatRunnerDeps) {
    this.#deps = deps;
  }

  /** Ends the call's record in every case. @throws GatewayError before the reply's first byte */
  async send(context: RequestContext, call: AdmittedCall): Promise<LinkReply> {
    const providerCall = this.#deps.abandoned.begin(context.signal, call.accountId, call.usageIsHidden);
    let answered: StartedReply | undefined;
    try {
      await dispatch(context, call.metered, estimateInput(call.request.size));
      const begun = this.#deps.dispatcher.begin(context, call, providerCall.signal);
      if (!call.request.stream) {
        const started = await begun;
        answered = started;
        const reply = await answerBuffered(this.#deps, context, {
          route: started.route,
          accountId: started.call.accountId,
          headers: started.call.headers,
          readAndSettle: (memory) => this.#readAndSettle(context, started, memory),
          settleUnread: async () =>
            countUse(this.#deps.limiter, started.route, await settleUnread(context, started)),
        });
        providerCall.end();
        return reply;
      }
      const early = await within(begun, this.#deps.keepAliveMs);
      const headers = { ...STREAM_HEADERS, ...(early?.call ?? call).headers };
      const body = early
        ? this.#stream(context, early, providerCall)
        : this.#streamLate(context, call, begun, providerCall);
      return { status: 200, headers, body };
    } catch (thrown) {
      const error = await this.#failed(context, call, thrown, providerCall, answered?.headers);
      throw error.withRates(call.rates).withMaxTokens(call.loweredMaxTokens);
    }
  }

  /** @param headers of the provider's response, if there was one */
  #failed(
    context: RequestContext,
    call: AdmittedCall,
    thrown: unknown,
    providerCall: ProviderCall,
    headers?: StartedReply['headers'],
  ): Promise<GatewayError> {
    providerCall.end();
    return endUnanswered(context, { ...call, abandon: () => this.#abandon(call) }, thrown, headers);
  }

  /**
   * Ends a call whose client disconnected before it was answered. The call is free, and an operator loss: the prompt, and what
   * was probably generated of a reply that is not streamed. If the provider was read for usage that it never reported, the prompt is
   * charged.
   */
  #abandon(call: AdmittedCall): Promise<unknown> {
    const { metered, request, model, routes, body, usageIsHidden, outputTokens } = call;
    const prompt = countedUsage({ request, provider: routes[0]!.provider, body }, { output: () => 0 });
    if (usageIsHidden) {
      this.#deps.metrics.clientDisconnected('usage_unknown');
      return metered.settle(prompt, 'counted', CLIENT_DISCONNECTED, 'usage_unknown');
    }
    this.#deps.metrics.clientDisconnected('cancelled');
    const elapsedMs = Date.now() - metered.call.startedAtMs;
    const output = request.stream ? 0 : probableOutput(elapsedMs, request.size.choices, outputTokens);
    const input = prompt.input + (mediaBound(model, request.size) ?? 0);
    return metered.abandon({ ...prompt, input, output }, CLIENT_DISCONNECTED);
  }

  /**
   * Settles what a reply used.
   * @param isKnown whether the provider has reported all of it
   * @param outcome recorded if the client is still connected
   */
  #settleReply(
    context: RequestContext,
    { metered, usageIsHidden }: ModelCall,
    usage: TokenUsage,
    source: UsageSource,
    isKnown: boolean,
    outcome: CallOutcome = ANSWERED,
  ): Promise<unknown> {
    const lossReason = usageIsHidden && !isKnown ? 'usage_unknown' : undefined;
    if (!context.signal.aborted) return metered.settle(usage, source, outcome, lossReason);
    this.#deps.metrics.clientDisconnected(lossReason ?? 'charged');
    return metered.settle(usage, source, CLIENT_DISCONNECTED, lossReason);
  }

  /** Warns operators of a provider's figures once, and not for each of its replies. */
  #warnOf({ log }: RequestContext, { provider, target }: Route, { isContradicted }: FinalUsage): void {
    if (!isContradicted || this.#warnedOf.has(provider.id) || this.#warnedOf.size >= MAX_WARNINGS) return;
    this.#warnedOf.add(provider.id);
    log.warn(
      { provider: provider.id, upstreamModel: target.upstreamModel },
      'usage of provider lacks figures for its replies, which are counted instead',
    );
  }

  /** Reads and settles a reply that is not a stream. */
  async #readAndSettle(
    context: RequestContext,
    begun: StartedReply,
    memory: ReplyMemory,
  ): Promise<SettledReply> {
    const { call } = begun;
    const { request } = call;
    const { provider } = begun.route;
    recordAnswer(begun);
    const received = await readReply(begun.reply, memory, provider.framing);
    const reply = restorerOf(request, provider)?.restoreReply(received) ?? received;
    const { value } = reply;
    if (!provider.isReply(value)) throw noReply(provider, value);
    const sent = { request, provider, body: begun.body };
    const final = wholeUsage(sent, value, provider.readUsage(value));
    const { usage } = final;
    const costNano = call.metered.chargedNano(usage);
    // Converted before it is settled: an unreadable reply is not charged.
    const body = passesThrough(request, provider)
      ? passedReply(context, begun, reply, final, costNano)
      : request.replies.write(
          replyOf({ request, provider }, value),
          { ...usage, costNano },
          identityOf(context, call),
        );
    countUse(this.#deps.limiter, begun.route, usage);
    this.#warnOf(context, begun.route, final);
    await this.#settleReply(context, call, usage, final.source, final.isOutputKnown);
    return { body: request.beforeEnd ? await request.beforeEnd(body) : body, costNano };
  }

  /** Streams the reply of a provider that is slow to start: keep-alive comments show the client that the call goes on. */
  async *#streamLate(
    context: RequestContext,
    call: AdmittedCall,
    begun: Promise<StartedReply>,
    providerCall: ProviderCall,
  ): AsyncIterable<Buffer> {
    let answered: StartedReply | undefined;
    try {
      while (!answered) {
        yield keepAliveOf(call);
        answered = await within(begun, this.#deps.keepAliveMs);
      }
    } catch (thrown) {
      const failed = await this.#failed(context, call, thrown, providerCall);
      const error = failed.withDetailedMessage(call.detailedMessages);
      yield Buffer.from(call.request.replies.errorFrame(error, identityOf(context, call)));
      return;
    }
    yield* this.#stream(context, answered, providerCall);
  }

  /**
   * Passes events on as they arrive; the last one waits until the usage is durable. A stream that breaks ends with an
   * error event of the format, never with its last marker and never silently.
   */
  async *#stream(
    context: RequestContext,
    begun: StartedReply,
    providerCall: ProviderCall,
  ): AsyncIterable<Buffer> {
    const { call, route, body, reply, headers } = begun;
    const { metered, request } = call;
    const { provider } = route;
    recordAnswer(begun);
    const sent = { request, provider, body };
    const stream = passOrTranslate(context, call, sent);
    const restorer = restorerOf(request, provider);
    const events = new OutgoingEvents(stream, restorer && ((event) => restorer.restore(event)));
    const stopProgress = this.#deps.clock.start(() => {
      call.rateReport?.update(stream.usage, withoutEcho(request, stream.estimateOutput()));
      metered.progress(usageSoFar(sent, stream));
    });
    const echoed = (request.echoes ?? 0) * request.size.bodyBytes;
    const maxOutput = call.outputTokens * MAX_EVENTS_PER_TOKEN + SPARE_EVENTS + echoed;
    let lastSentAtMs = performance.now();
    let output = 0;
    let lastOutputAtMs = lastSentAtMs;
    try {
      for await (const bytes of reply) {
        const passed = events.push(bytes);
        const nowMs = performance.now();
        // An empty chunk means that the provider is silent; its events may also contain nothing for the client.
        const isKeepAliveDue = bytes.length === 0 || nowMs - lastSentAtMs >= this.#deps.keepAliveMs;
        if (passed.length > 0 || isKeepAliveDue) {
          lastSentAtMs = nowMs;
          yield passed.length > 0 ? passed : keepAliveOf(call);
        }
        const outputNow = stream.estimateOutput();
        if (outputNow > output) lastOutputAtMs = nowMs;
        output = outputNow;
        if (output > maxOutput) events.break(new Error('provider exceeds the requested maximum output'));
        if (nowMs - lastOutputAtMs > MAX_SILENCE_MS) events.break(new Error('provider sends no output'));
        if (events.over) break;
      }
      const passed = events.end();
      if (passed.length > 0) yield passed;
    } catch (error) {
      events.break(error);
    } finally {
      stopProgress();
      providerCall.end();
    }
    const { done, failure } = events;
    const final = finalUsage(sent, stream, done !== undefined);
    const { usage, source } = final;
    stream.close();
    countUse(this.#deps.limiter, route, usage);
    if (done) {
      this.#deps.health.recordCompleteReply(route);
      this.#warnOf(context, route, final);
      await this.#settleReply(context, call, usage, source, final.isOutputKnown);
      yield request.beforeEnd ? await request.beforeEnd(done) : done;
      return;
    }
    if (context.signal.aborted) {
      await this.#settleReply(context, call, usage, source, false);
      return;
    }
    const error = new GatewayError('upstream_failed', { cause: failure });
    nameProviderRequest(failure, headers);
    context.log.warn({ provider: provider.id, err: failure }, 'provider stream failed');
    this.#deps.metrics.streamBroke(provider.id);
    this.#deps.health.recordBrokenReply(route);
    await this.#settleReply(context, call, usage, source, false, { status: 200, errorCode: error.code });
    const frame = stream.errorFrame?.(error) ?? request.replies.errorFrame(error, identityOf(context, call));
    yield Buffer.from(frame);
  }
}

/** Returns the failure that a body means which is no reply of its provider's format. */
function noReply(provider: ChatProvider, body: JsonObject): Error {
  const failure = failureInBody(provider, body);
  if (!failure) return new Error('reply does not match its format');
  // A call that its caller has to change says nothing about its target.
  return isClientError(failure) ? toGatewayError(failure) : new UpstreamError(failure);
}

function recordAnswer({
  call: { metered, billedAs, request },
  route: { provider, target },
}: StartedReply): void {
  if (billedAs) metered.billAs(billedAs, estimateInput(request.size));
  metered.answeredBy(provider.id, target.cost);
}

/**
 * Settles a reply that was not read; returns the usage that is charged. What the provider charges is unknown, and the client must
 * not get it for free.
 */
async function settleUnread(context: RequestContext, begun: StartedReply): Promise<TokenUsage> {
  const { request, metered, outputTokens } = begun.call;
  const sent = { request, provider: begun.route.provider, body: begun.body };
  const outcome = context.signal.aborted
    ? CLIENT_DISCONNECTED
    : failedBy(new GatewayError('upstream_failed'));
  const usage = countedUsage(sent, {
    output: () => outputTokens,
    speech: () => (request.size.speaks ? outputTokens : 0),
  });
  await metered.settle(usage, 'counted', outcome);
  return usage;
}

function identityOf(context: RequestContext, call: ModelCall): ReplyIdentity {
  return {
    requestId: call.request.replyId ?? context.requestId,
    model: call.model.slug,
    createdAtMs: call.metered.call.startedAtMs,
  };
}

const passedTo = (context: RequestContext, call: ModelCall): PassedReply => ({
  identity: identityOf(context, call),
  request: call.request,
});

function passOrTranslate(context: RequestContext, call: ModelCall, sent: Sent): MeteredStream {
  const { request, provider } = sent;
  const { includeUsage, replies } = request;
  const completedUsage = (): BilledUsage => {
    const { usage } = finalUsage(sent, stream, true);
    return { ...usage, costNano: call.metered.chargedNano(usage) };
  };
  let stream: MeteredStream;
  if (passesThrough(request, provider) && provider.passStream) {
    stream = provider.passStream(
      {
        includeUsage,
        model: call.model.slug,
        choices: request.size.choices,
        chargedNano: (usage) => call.metered.chargedNano(ofTier(usage, tierOf(sent))),
        completedUsage: () => replies.usage(completedUsage()),
      },
      passedTo(context, call),
    );
    return stream;
  }
  const estimatedInput = estimateInput(request.size);
  const writer = replies.stream(identityOf(context, call), { includeUsage, estimatedInput });
  stream = new TranslatedStream(readerOf(sent), writer, completedUsage);
  return stream;
}

/** Returns a complete reply of the caller's own format, with its cost. */
function passedReply(
  context: RequestContext,
  { call, route: { provider } }: StartedReply,
  reply: WholeReply,
  { usage, source }: FinalUsage,
  costNano: bigint,
): Buffer {
  const { replies } = call.request;
  const passed = provider.passReply?.(reply, call.model.slug, passedTo(context, call)) ?? reply.bytes;
  if (source === 'provider') return withCost(passed, costNano);
  return withUsage(passed, replies.usage({ ...usage, costNano }), replies.usageMember);
}

/** Whether the provider got another schema for its output than the caller gave. */
const hasWrappedOutput = ({ request, provider }: Pick<Sent, 'request' | 'provider'>): boolean =>
  provider.objectOutput !== undefined && hasOtherRoot(request.conversation().output);

function readerOf(sent: Sent): StreamReader {
  const reader = sent.provider.readStream();
  return hasWrappedOutput(sent) ? new InnerOutputReader(reader) : reader;
}

function replyOf(sent: Pick<Sent, 'request' | 'provider'>, value: WholeReply['value']): Reply {
  const reply = sent.provider.readReply(value);
  return hasWrappedOutput(sent) ? withoutObjectRoot(reply) : reply;
}

const keepAliveOf = ({ request }: ModelCall): Buffer =>
  Buffer.from(request.replies.keepAlive ?? KEEP_ALIVE_COMMENT);
