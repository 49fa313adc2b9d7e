import { GatewayError } from '@gateway/errors';
import type { LinkReply } from '@gateway/link';
import type { Quota } from '@gateway/quota';
import type { RequestContext } from '@gateway/rpc';
import { failureOf, type TargetHealth, toGatewayError } from '@gateway/upstream';
import type { ReplyIdentity } from '../domain/caller-request';
import type { PassedStream } from '../domain/chat-provider';
import { ReplyMemory, ReplyMemoryExhausted } from '../domain/reply-memory';
import { estimateInput } from '../domain/upper-bound';
import { NO_USAGE, ofTier, type TokenUsage, type UsageSource } from '../domain/usage';
import type { TargetMetrics } from '../metrics';
import { ReplyTooLarge, readReply } from '../providers/read-reply';
import { NOT_SENT } from '../providers/upstream-http';
import { TemplateEventReader } from '../sse/template-event-reader';
import type { AbandonedCalls, ProviderCall } from './abandoned-calls';
import type { AdmittedCall } from './admitted-call';
import { countedUsage, countReply, finalUsage, type Sent } from './counted-usage';
import type { BegunCall, Dispatcher } from './dispatcher';
import type { CallOutcome } from './metered-call';
import { PassingEvents } from './passing-events';
import type { ProgressClock } from './progress-clock';
import { TranslatedStream } from './translated-stream';
import { within } from './within';

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};
/** A comment of server-sent events, which every client skips. */
const KEEP_ALIVE = Buffer.from(': keep-alive\n\n');
/** Some providers send a token in several pieces; beyond this one has forgotten its maximum. */
const MAX_EVENTS_PER_TOKEN = 8;
const SPARE_EVENTS = 4_096;
/** Pings may come for ever. Models that think without showing it send nothing else, for an hour at the worst. */
const MOST_SPEECHLESS_MS = 2 * 3_600_000;
/** The caller left: nobody reads the status; the record says why there is none. */
const CALLER_LEFT = { status: 499, errorCode: '' };
const ANSWERED = { status: 200, errorCode: '' };

export interface ChatRelayDeps {
  readonly dispatcher: Pick<Dispatcher, 'begin'>;
  readonly abandoned: Pick<AbandonedCalls, 'begin'>;
  readonly clock: ProgressClock;
  readonly metrics: Pick<TargetMetrics, 'streamBroke' | 'callerLeft'>;
  readonly health: Pick<TargetHealth, 'broke' | 'ended'>;
  /** For replies that are not streams. */
  readonly replyMemory: Quota;
  /** A caller who hears nothing for much longer may take the connection for dead. */
  readonly quietMs: number;
}

/** Sends admitted calls to their providers and relays the replies, metered. */
export class ChatRelay {
  readonly #deps: ChatRelayDeps;

  constructor(deps: ChatRelayDeps) {
    this.#deps = deps;
  }

  /** Ends the call's record whatever happens. @throws GatewayError before the reply's first byte */
  async send(context: RequestContext, call: AdmittedCall): Promise<LinkReply> {
    const atProvider = this.#deps.abandoned.begin(context.signal, call.accountId, call.usageIsHidden);
    try {
      await call.metered.dispatched(estimateInput(call.request.size));
      if (context.signal.aborted) throw Object.assign(new Error('caller left'), { code: NOT_SENT });
      const begun = this.#deps.dispatcher.begin(context, call, atProvider.signal);
      if (!call.request.stream) {
        const reply = await this.#relayWhole(context, await begun, call);
        atProvider.end();
        return reply;
      }
      const headers = { ...STREAM_HEADERS, ...call.headers };
      const early = await within(begun, this.#deps.quietMs);
      const body = early
        ? this.#relayStream(context, call, early, atProvider)
        : this.#relayLate(context, call, begun, atProvider);
      return { status: 200, headers, body };
    } catch (thrown) {
      const error = await this.#failed(context, call, thrown, atProvider);
      throw error.withRates(call.rates).withMaxTokens(call.loweredMaxTokens);
    }
  }

  /** Ends a call that was not answered, unless it was settled before. */
  async #failed(
    context: RequestContext,
    call: AdmittedCall,
    thrown: unknown,
    atProvider: ProviderCall,
  ): Promise<GatewayError> {
    atProvider.end();
    const error = thrown instanceof GatewayError ? thrown : toGatewayError(failureOf(thrown));
    if (context.signal.aborted) await this.#endAbandoned(call, thrown);
    else {
      const isWrittenOff = call.usageIsHidden && !isUncharged(thrown);
      await call.metered[isWrittenOff ? 'writeOff' : 'release'](failedBy(error));
      context.log.warn({ model: call.model.slug, code: error.code, err: error.cause }, 'provider failed');
    }
    return error;
  }

  /**
   * Ends a call whose caller disconnected before it was answered. It is free, and what the prompt cost is the operator's
   * loss. Where the provider was listened to for figures that have not come, the prompt is charged.
   */
  async #endAbandoned(call: AdmittedCall, thrown: unknown): Promise<void> {
    const { metered, request, routes, body, usageIsHidden } = call;
    if (isUncharged(thrown)) return metered.release(CALLER_LEFT);
    if (!usageIsHidden) {
      this.#deps.metrics.callerLeft('cancelled');
      return metered.abandon(estimateInput(request.size), CALLER_LEFT);
    }
    this.#deps.metrics.callerLeft('usage_unknown');
    const prompt = countedUsage({ request, provider: routes[0]!.provider, body }, () => 0);
    return metered.settle(prompt, 'counted', CALLER_LEFT, 'usage_unknown');
  }

  /**
   * Settles what a reply used.
   * @param isKnown whether the provider has reported all of it
   * @param outcome for a caller who is still there
   */
  #settleReply(
    context: RequestContext,
    { metered, usageIsHidden }: AdmittedCall,
    usage: TokenUsage,
    source: UsageSource,
    isKnown: boolean,
    outcome: CallOutcome = ANSWERED,
  ): Promise<void> {
    const lossReason = usageIsHidden && !isKnown ? 'usage_unknown' : undefined;
    if (!context.signal.aborted) return metered.settle(usage, source, outcome, lossReason);
    this.#deps.metrics.callerLeft(lossReason ?? 'charged');
    return metered.settle(usage, source, CALLER_LEFT, lossReason);
  }

  /** A reply that can't be read says as much about its target as one that breaks off, unless we had no room for it. */
  async #relayWhole(context: RequestContext, begun: BegunCall, call: AdmittedCall): Promise<LinkReply> {
    const memory = new ReplyMemory(this.#deps.replyMemory, call.accountId);
    try {
      const body = await this.#answerWhole(context, call, begun, memory);
      this.#deps.health.ended(begun.route);
      const headers = {
        'content-type': 'application/json',
        'content-length': String(body.length),
        ...call.headers,
      };
      return { status: 200, headers, body: memory.bytes === 0 ? body : untilTaken(body, memory) };
    } catch (error) {
      memory.release();
      const isOurs = error instanceof GatewayError;
      if (!isOurs && !context.signal.aborted) this.#deps.health.broke(begun.route);
      if (error instanceof ReplyTooLarge) await settleUnread(context, call, begun);
      throw error;
    }
  }

  /** Reads a reply that is no stream, and settles it. */
  async #answerWhole(
    context: RequestContext,
    call: AdmittedCall,
    begun: BegunCall,
    memory: ReplyMemory,
  ): Promise<Buffer> {
    const { request, metered } = call;
    const { provider } = begun.route;
    metered.answeredBy(provider.id);
    const reply = await readReply(begun.reply, memory);
    const { value } = reply;
    if (!provider.isReply(value)) throw new Error('reply is none of its format');
    const reported = provider.readUsage(value);
    const sent = { request, provider, body: begun.body };
    const usage = ofTier(
      reported ?? countedUsage(sent, () => countReply(provider, value)),
      provider.readServiceTier?.(value),
    );
    // Written before it is settled: what can't be read is not charged.
    const body =
      provider.wire === request.wire
        ? (provider.passReply?.(reply, call.model.slug) ?? reply.bytes)
        : request.replies.write(provider.readReply(value), usage, identityOf(context, call));
    const source = reported ? 'provider' : 'counted';
    await this.#settleReply(context, call, usage, source, reported !== undefined);
    return body;
  }

  /** A provider that thinks for long before it says anything: its caller hears that we are still there. */
  async *#relayLate(
    context: RequestContext,
    call: AdmittedCall,
    begun: Promise<BegunCall>,
    atProvider: ProviderCall,
  ): AsyncIterable<Buffer> {
    let answered: BegunCall | undefined;
    try {
      while (!answered) {
        yield KEEP_ALIVE;
        answered = await within(begun, this.#deps.quietMs);
      }
    } catch (thrown) {
      const error = await this.#failed(context, call, thrown, atProvider);
      yield Buffer.from(call.request.replies.errorFrame(error));
      return;
    }
    yield* this.#relayStream(context, call, answered, atProvider);
  }

  /**
   * Events pass as they come; the last one waits until the bill can't be lost. A stream that breaks ends in
   * an error event of the format, never in its last marker and never silently.
   */
  async *#relayStream(
    context: RequestContext,
    call: AdmittedCall,
    { route, body, reply }: BegunCall,
    atProvider: ProviderCall,
  ): AsyncIterable<Buffer> {
    const { metered, request } = call;
    const { provider } = route;
    metered.answeredBy(provider.id);
    const sent = { request, provider, body };
    const stream = passOrTranslate(context, call, sent);
    const events = new PassingEvents(stream);
    const stopProgress = this.#deps.clock.start(() => {
      const output = stream.estimateOutput();
      call.rateReport?.update(stream.usage, output);
      const estimated = { ...NO_USAGE, input: estimateInput(request.size), output };
      metered.progress(ofTier(stream.usage ?? estimated, stream.serviceTier));
    });
    const mostEvents = call.outputTokens * MAX_EVENTS_PER_TOKEN + SPARE_EVENTS;
    let heardAtMs = performance.now();
    let said = 0;
    let saidAtMs = heardAtMs;
    try {
      for await (const bytes of reply) {
        const passed = events.push(bytes);
        const nowMs = performance.now();
        // No bytes at all say that the provider is quiet; what it says may also be nothing for the caller.
        const isQuiet = bytes.length === 0 || nowMs - heardAtMs >= this.#deps.quietMs;
        if (passed.length > 0 || isQuiet) {
          heardAtMs = nowMs;
          yield passed.length > 0 ? passed : KEEP_ALIVE;
        }
        const saidByNow = stream.estimateOutput();
        if (saidByNow > said) saidAtMs = nowMs;
        said = saidByNow;
        if (said > mostEvents) events.break(new Error('provider sends far more than it was asked for'));
        if (nowMs - saidAtMs > MOST_SPEECHLESS_MS) events.break(new Error('provider says nothing'));
        if (events.over) break;
      }
      events.end();
    } catch (error) {
      events.break(error);
    } finally {
      stopProgress();
      atProvider.end();
    }
    const { done, failure } = events;
    const [usage, source] = finalUsage(sent, stream, done !== undefined);
    stream.close();
    if (done) {
      this.#deps.health.ended(route);
      await this.#settleReply(context, call, usage, source, source === 'provider');
      yield done;
      return;
    }
    if (context.signal.aborted) {
      await this.#settleReply(context, call, usage, source, false);
      return;
    }
    const error = new GatewayError('upstream_failed', { cause: failure });
    context.log.warn({ provider: provider.id, err: failure }, 'provider stream broke');
    this.#deps.metrics.streamBroke(provider.id);
    this.#deps.health.broke(route);
    await this.#settleReply(context, call, usage, source, false, { status: 200, errorCode: error.code });
    yield Buffer.from(request.replies.errorFrame(error));
  }
}

/** Whether the provider surely charges nothing: it has not had the whole call, or it refused it. */
const isUncharged = (thrown: unknown): boolean =>
  (thrown as { code?: unknown }).code === NOT_SENT ||
  (thrown instanceof GatewayError && !(thrown instanceof ReplyMemoryExhausted)) ||
  failureOf(thrown).kind !== 'broken';

const failedBy = ({ row, code }: GatewayError) => ({ status: row.status, errorCode: code });

/** What the provider charges for such a reply is never told, and its caller must not be able to have it for nothing. */
async function settleUnread(context: RequestContext, call: AdmittedCall, begun: BegunCall): Promise<void> {
  const { request, metered, outputTokens } = call;
  const sent = { request, provider: begun.route.provider, body: begun.body };
  const outcome = context.signal.aborted ? CALLER_LEFT : failedBy(new GatewayError('upstream_failed'));
  await metered.settle(
    countedUsage(sent, () => outputTokens),
    'counted',
    outcome,
  );
}

/** What feeds a link is over when it has the last of it, or its caller has left. */
async function* untilTaken(body: Buffer, memory: ReplyMemory): AsyncIterable<Buffer> {
  try {
    yield body;
  } finally {
    memory.release();
  }
}

function identityOf(context: RequestContext, call: AdmittedCall): ReplyIdentity {
  return { requestId: context.requestId, model: call.model.slug, createdAtMs: call.metered.startedAtMs };
}

function passOrTranslate(context: RequestContext, call: AdmittedCall, sent: Sent): PassedStream {
  const { request, provider } = sent;
  const { includeUsage } = request;
  if (provider.wire === request.wire && provider.passStream)
    return provider.passStream({ includeUsage, model: call.model.slug });
  const estimatedInput = estimateInput(request.size);
  const writer = request.replies.stream(identityOf(context, call), { includeUsage, estimatedInput });
  const reader = new TemplateEventReader(provider.readStream());
  const translated: TranslatedStream = new TranslatedStream(reader, writer, () =>
    countedUsage(sent, () => translated.countOutput()),
  );
  return translated;
}
