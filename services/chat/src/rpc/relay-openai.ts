import { GatewayError, toEnvelope } from '@gateway/proto';
import type { LinkReply, RequestContext } from '@gateway/runtime';
import type { Model, Target } from '../domain/model';
import type { Provider } from '../domain/provider';
import { estimateInput } from '../domain/upper-bound';
import { failureOfError, toGatewayError } from '../domain/upstream-failure';
import type { TokenUsage, UsageSource } from '../domain/usage';
import { type ChatRequest, toUpstreamBody } from '../formats/openai/chat-request';
import { fromOpenAiUsage } from '../formats/openai/chat-usage';
import { countCompletion } from '../formats/openai/count-completion';
import { countPrompt } from '../formats/openai/count-prompt';
import { StreamMeter } from '../formats/openai/stream-meter';
import type { UnreadBudget } from '../formats/openai/unread-budget';
import { SseSplitter } from '../formats/sse-splitter';
import { readReply } from '../providers/read-reply';
import { refusalOf } from '../providers/refusal';
import type { UpstreamHttp, UpstreamResponse, UpstreamTimeouts } from '../providers/upstream-http';
import { beginStream } from './begin-stream';
import { delayedAbort } from './delayed-abort';
import type { MeteredCall } from './metered-call';
import type { ProgressClock } from './progress-clock';

export interface OpenAiRelayDeps {
  readonly upstream: UpstreamHttp;
  readonly timeouts: UpstreamTimeouts;
  readonly clock: ProgressClock;
  readonly unread: UnreadBudget;
}

/** An admitted call and where it goes. */
export interface AdmittedCall {
  readonly request: ChatRequest;
  readonly model: Model;
  readonly provider: Provider;
  readonly target: Target;
  readonly metered: MeteredCall;
  /** Output per choice to ask the provider for, when funds pay for no more. */
  readonly loweredMaxTokens: number | undefined;
  /** Of all choices together, as far as it is paid for. */
  readonly outputTokens: number;
  /** Of the admission, for the answer. */
  readonly headers: Readonly<Record<string, string>>;
}

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};
/** How long a call of a model that hides its reasoning may go on without its caller. */
const DRAIN_MS = 30_000;
const EVENT_END = Buffer.from('\n\n');
/** Some providers send a token in several pieces; beyond this one has forgotten its maximum. */
const MAX_EVENTS_PER_TOKEN = 8;
const SPARE_EVENTS = 4_096;
/** The caller left: nobody reads the status; the record says why there is none. */
const CALLER_LEFT = { status: 499, errorCode: '' };
const ANSWERED = { status: 200, errorCode: '' };

/** Sends admitted calls to providers of OpenAI's format and passes their replies on, metered. */
export class OpenAiRelay {
  readonly #deps: OpenAiRelayDeps;

  constructor(deps: OpenAiRelayDeps) {
    this.#deps = deps;
  }

  /** Ends the call's record whatever happens. @throws GatewayError before the reply's first byte */
  async send(context: RequestContext, call: AdmittedCall): Promise<LinkReply> {
    try {
      await call.metered.dispatched(estimateInput(call.request.size));
      if (context.signal.aborted) throw new Error('caller left before dispatch');
      const response = await this.#post(context, call);
      if (response.status < 200 || response.status > 299) throw await refusalOf(response);
      if (!call.request.stream) return await this.#relayWhole(call, response);
      const reply = await beginStream(response.body);
      call.metered.firstByte();
      return {
        status: 200,
        headers: { ...STREAM_HEADERS, ...call.headers },
        body: this.#relayStream(context, call, reply),
      };
    } catch (thrown) {
      const error = thrown instanceof GatewayError ? thrown : toGatewayError(failureOfError(thrown));
      // Nothing was answered, so nothing is charged.
      await call.metered.release(
        context.signal.aborted ? CALLER_LEFT : { status: error.row.status, errorCode: error.code },
      );
      if (!context.signal.aborted)
        context.log.warn(
          { provider: call.provider.id, code: error.code, err: error.cause },
          'provider failed',
        );
      throw error;
    }
  }

  #post(
    context: RequestContext,
    { request, model, provider, target, loweredMaxTokens }: AdmittedCall,
  ): Promise<UpstreamResponse> {
    return this.#deps.upstream.post({
      url: provider.chatUrl,
      headers: {
        ...provider.headers,
        accept: request.stream ? 'text/event-stream' : 'application/json',
        'x-request-id': context.requestId,
      },
      body: toUpstreamBody(request, target.upstreamModel, loweredMaxTokens, provider.maxTokensField),
      // What was thought and not shown is told only at the end.
      signal: model.hidesReasoning ? delayedAbort(context.signal, DRAIN_MS) : context.signal,
      timeouts: this.#deps.timeouts,
    });
  }

  async #relayWhole(call: AdmittedCall, response: UpstreamResponse): Promise<LinkReply> {
    call.metered.firstByte();
    const { bytes, value } = await readReply(response);
    if (!Array.isArray(value.choices)) throw new Error('reply is no completion');
    const reported = fromOpenAiUsage(value.usage, call.provider.usage);
    const usage = reported ?? counted(call.request, () => countCompletion(value));
    await call.metered.settle(usage, reported ? 'provider' : 'counted', ANSWERED);
    return {
      status: 200,
      headers: {
        'content-type': 'application/json',
        'content-length': String(bytes.length),
        ...call.headers,
      },
      body: bytes,
    };
  }

  /**
   * Events pass as they come; the last one waits until the bill can't be lost. A stream that breaks ends in
   * an error event of the format, never in `[DONE]` and never silently.
   */
  async *#relayStream(
    context: RequestContext,
    call: AdmittedCall,
    reply: AsyncIterable<Buffer>,
  ): AsyncIterable<Buffer> {
    const { metered, request } = call;
    const meter = new StreamMeter(request.includeUsage, call.provider.usage, this.#deps.unread);
    const splitter = new SseSplitter();
    const stopProgress = this.#deps.clock.start(() => {
      metered.progress(
        meter.usage ?? { ...inputOnly(estimateInput(request.size)), output: meter.estimateOutput() },
      );
    });
    const mostEvents = call.outputTokens * MAX_EVENTS_PER_TOKEN + SPARE_EVENTS;
    let done: Buffer | undefined;
    let over = false;
    let failure: unknown = new Error('stream ended without [DONE]');
    try {
      for await (const bytes of reply) {
        const passed: Buffer[] = [];
        for (const event of splitter.push(bytes)) {
          const metered = meter.take(event);
          if (metered.kind === 'pass') passed.push(metered.bytes);
          if (metered.kind === 'done') done = metered.bytes;
          if (metered.kind === 'error') failure = new Error('provider sent an error event');
          over = metered.kind === 'done' || metered.kind === 'error';
          if (over) break;
        }
        if (passed.length === 1) yield passed[0]!;
        else if (passed.length > 1) yield Buffer.concat(passed);
        if (over) break;
        if (meter.estimateOutput() > mostEvents) {
          failure = new Error('provider sends far more than it was asked for');
          break;
        }
      }
      // The last blank line is not everybody's habit.
      if (!over && splitter.rest.length > 0) {
        const last = meter.take(Buffer.concat([splitter.rest, EVENT_END]));
        if (last.kind === 'done') done = last.bytes;
      }
    } catch (error) {
      failure = error;
    } finally {
      stopProgress();
    }
    const [usage, source] = finalUsage(meter, request, done !== undefined);
    meter.close();
    if (done) {
      await metered.settle(usage, source, ANSWERED);
      yield done;
      return;
    }
    if (context.signal.aborted) {
      await metered.settle(usage, source, CALLER_LEFT);
      return;
    }
    const error = new GatewayError('upstream_failed', { cause: failure });
    context.log.warn({ provider: call.provider.id, err: failure }, 'provider stream broke');
    await metered.settle(usage, source, { status: 200, errorCode: error.code });
    yield Buffer.from(`data: ${JSON.stringify(toEnvelope(error))}\n\n`);
  }
}

/** A stream that was cut may have reported less than it had sent. */
function finalUsage(meter: StreamMeter, request: ChatRequest, whole: boolean): [TokenUsage, UsageSource] {
  const reported = meter.usage;
  if (reported && whole) return [reported, 'provider'];
  const own = counted(request, () => meter.countOutput());
  if (!reported) return [own, 'counted'];
  return [{ ...reported, output: Math.max(reported.output, own.output) }, 'provider'];
}

/** Never throws, since every dispatched call must end: what can't be counted is estimated. */
function counted(request: ChatRequest, countOutput: () => number): TokenUsage {
  const input = orElse(() => countPrompt(request.body).tokens, estimateInput(request.size));
  return { ...inputOnly(input), output: orElse(countOutput, 0) };
}

function orElse(count: () => number, estimate: number): number {
  try {
    return count();
  } catch {
    return estimate;
  }
}

function inputOnly(input: number): TokenUsage {
  return { input, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };
}
