import type { UsageEvent } from '@gateway/call-billing';
import { GatewayError } from '@gateway/errors';
import type { HttpClient } from '@gateway/http-client';
import type { TokenPrice } from '@gateway/pricing';
import { memoryQuota } from '@gateway/quota';
import type { RequestContext } from '@gateway/rpc';
import {
  CredentialLimiter,
  environmentAccount,
  Failover,
  SessionPins,
  TargetHealth,
} from '@gateway/upstream';
import type { CallerRequest } from '../domain/caller-request';
import type { ChatProvider } from '../domain/chat-provider';
import type { Model } from '../domain/model';
import { MAX_REPLY_BYTES } from '../domain/reply-memory';
import { targetOf } from '../domain/route.fixture';
import { parseMessagesRequest } from '../formats/anthropic/messages-request';
import { parseChatRequest } from '../formats/openai/chat-request';
import { AbandonedCalls } from './abandoned-calls';
import { ChatRunner } from './chat-runner';
import { Dispatcher } from './dispatcher';
import { MeteredChatCall } from './metered-chat-call';
import { ProgressClock } from './progress-clock';
import { ProviderClient } from './provider-client';
import { upstreamBody } from './upstream-body';

/** A prime per kind of token, so that a wrong figure changes the cost. */
export const PRICE: TokenPrice = {
  input: 2_000_000n,
  cache_read: 3_000_000n,
  cache_write: 5_000_000n,
  cache_write_1h: 7_000_000n,
  output: 11_000_000n,
};
const MODEL: Partial<Model> = {
  slug: 'sim/chat',
  hidesReasoning: false,
  maxOutputTokens: 1_000,
};
/** Events and lines of a stream arrive in several pieces. */
const PIECE_BYTES = 48;
const WAIT_MS = 60_000;

export interface RecordedResponse {
  readonly status: number;
  readonly isStream: boolean;
  readonly body: Buffer;
  /** The connection breaks after the body. */
  readonly breaks?: boolean;
}

export interface CallResult {
  /** What the client receives; undefined if the call failed before its reply. */
  readonly body: string | undefined;
  readonly error: GatewayError | undefined;
  /** The records of the call's end. */
  readonly billed: readonly UsageEvent[];
}

/** Sends a call of the client's format as the service does, to a provider that answers with the recorded response. */
export function callWith(
  provider: ChatProvider,
  { status, body, isStream, breaks = false }: RecordedResponse,
  wire: CallerRequest['wire'],
): Promise<CallResult> {
  const upstream = { send: async () => ({ status, headers: {}, body: inPieces(body, breaks) }) };
  return callThrough(provider, upstream, requestOf(wire, isStream));
}

/** Sends a call as the service does. @param capabilities of the model @param warned gets the fields of the log's warnings */
export async function callThrough(
  provider: ChatProvider,
  upstream: Pick<HttpClient, 'send'>,
  request: CallerRequest,
  capabilities: readonly string[] = [],
  warned: object[] = [],
): Promise<CallResult> {
  const billed: UsageEvent[] = [];
  const clock = new ProgressClock();
  const runner = new ChatRunner({
    dispatcher: dispatcherTo(upstream),
    abandoned: new AbandonedCalls({ maxOfAccount: 1, timeoutMs: WAIT_MS }),
    clock,
    metrics: { streamBroke: () => {}, clientDisconnected: () => {} },
    limiter: new CredentialLimiter(() => 0),
    health: { recordBrokenReply: () => {}, recordCompleteReply: () => {} },
    replyMemory: memoryQuota(2 * MAX_REPLY_BYTES, 0),
    keepAliveMs: WAIT_MS,
  });
  const model = { ...MODEL, capabilities: new Set(capabilities) } as Model;
  const route = { ...environmentAccount(provider), target: targetOf(provider.id) };
  try {
    const { body } = await runner.send(contextOf(warned), {
      accountId: 'a',
      request,
      model,
      routes: [route],
      session: undefined,
      detailedMessages: false,
      body: upstreamBody(request, model, route, undefined),
      metered: meteredCall(provider.id, billed),
      usageIsHidden: false,
      rateReport: undefined,
      loweredMaxTokens: undefined,
      outputTokens: 1_000,
      rates: {},
      headers: {},
      fallbacks: [],
    });
    return { body: await textOf(body), error: undefined, billed };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { body: undefined, error, billed };
  } finally {
    clock.close();
  }
}

function dispatcherTo(upstream: Pick<HttpClient, 'send'>): Dispatcher {
  return new Dispatcher({
    failover: new Failover({
      health: new TargetHealth(() => 0, WAIT_MS),
      limiter: new CredentialLimiter(() => 0),
      metrics: { answered: () => {}, failed: () => {} },
    }),
    providerClient: new ProviderClient({
      upstream,
      health: { recordReply: () => {} },
      timeouts: { connectMs: WAIT_MS, firstByteMs: WAIT_MS, idleMs: WAIT_MS },
      keepAliveMs: WAIT_MS,
    }),
    keepAliveMs: WAIT_MS,
    sessions: new SessionPins(() => 0),
    metrics: { fellBack: () => {} },
  });
}

/** A short call of the client's format. */
export function requestOf(wire: CallerRequest['wire'], stream: boolean): CallerRequest {
  const shared = {
    model: 'sim/chat',
    max_tokens: 1_000,
    stream,
    messages: [{ role: 'user', content: 'Hi' }],
  };
  if (wire === 'anthropic') return parseMessagesRequest(Buffer.from(JSON.stringify(shared)), {});
  const options = stream && { stream_options: { include_usage: true } };
  return parseChatRequest(Buffer.from(JSON.stringify({ ...shared, ...options })));
}

function meteredCall(provider: string, billed: UsageEvent[]): MeteredChatCall {
  const journal = { dispatched: async () => {}, progress: () => {}, final: async () => {} };
  return new MeteredChatCall(
    {
      requestId: 'r',
      accountId: 'a',
      keyId: 'k',
      model: 'sim/chat',
      provider,
      endpoint: '/v1/chat/completions',
      streamed: true,
      price: PRICE,
      priceVersion: 1n,
      startedAtMs: 0,
      holdNano: 1_000_000n,
    },
    journal,
    (event) => billed.push(event),
  );
}

const contextOf = (warned: object[]) =>
  ({
    requestId: 'r',
    signal: new AbortController().signal,
    log: { warn: (fields: object) => void warned.push(fields) },
  }) as unknown as RequestContext;

/** Copies: a stream's bytes may be changed in place. */
async function* inPieces(bytes: Buffer, breaks: boolean): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    yield Buffer.from(bytes.subarray(at, at + PIECE_BYTES));
  }
  if (breaks) throw new Error('socket hang up');
}

async function textOf(body: Buffer | AsyncIterable<Buffer>): Promise<string> {
  if (Buffer.isBuffer(body)) return body.toString();
  const pieces: Buffer[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}
