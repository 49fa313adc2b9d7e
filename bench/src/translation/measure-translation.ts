import type { TranslationGroup, TranslationRuns } from '../bench-report';
import type { MeteredModel } from '../gateway/check-money';
import type { GatewayUnderTest } from '../gateway/gateway-under-test';
import type { CallerFormat } from '../load/caller-format';
import type { LoadOrder, LoadShape } from '../load/load-contract';
import type { LoadGenerator } from '../load/load-generator';
import { measure, type Round } from '../measure';
import type { ProcessGroup } from '../procfs/process-group';
import { chunkedReply, type Directive, FIXED_REPLY, REPLY_TEXT } from '../prompts';
import { bodyOf, type Conversation, longConversation, shortConversation } from './conversations';

/**
 * A pace, the same on every route and far below what the stack can do. With one call after another a route that takes
 * longer has fewer calls a second, and so smaller batches in services that translation never meets: what those cost
 * more or less for a call would count as translation's. All connections call at once, as they do under load, because
 * at one call at a time every process falls asleep between two steps of it, and that costs thrice what is measured.
 */
const CALL_EVERY_MS = 50;
/** Below the pace at which chunks queue: those that wait together cost less, which would hide the difference. */
const STREAMS = 40;
const CHUNK_DELAY_MS = 5;
const STREAM_SPACING_MS = 7;
/** Many short runs by turns: what else the machine does then meets the neighbours alike. */
const MAX_RUN_SECONDS = 1;
const RUNS_PER_ROUND = 4;
/** Calls or chunks, and not a time: however slow the machine is, what writes a format must be compiled before. */
const WARM_UP_UNITS = 4_000;
const WARM_UP_SECONDS = 1;
const MAX_WARM_UPS = 20;

type Framing = Readonly<{ before: number; after: number }>;

interface Caller {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** As the simulator frames it: the role, or the message's start, a ping and the block's start come first. */
  readonly passed: Framing;
  /** As the gateway does, which has the role in the first chunk, and no pings. */
  readonly translated: Framing;
}

const CALLERS: Readonly<Record<CallerFormat, Caller>> = {
  openai: {
    path: '/v1/chat/completions',
    headers: {},
    passed: { before: 1, after: 2 },
    translated: { before: 0, after: 2 },
  },
  anthropic: {
    path: '/v1/messages',
    headers: { 'anthropic-version': '2023-06-01' },
    passed: { before: 3, after: 3 },
    translated: { before: 2, after: 3 },
  },
};

/** One of each provider that has a format of its own; simulated, since the stack gets no keys. */
const MODELS = {
  openai: { slug: 'openai/gpt-4.1-mini', upstreamModel: 'gpt-4.1-mini' },
  anthropic: { slug: 'anthropic/claude-haiku-4-5', upstreamModel: 'claude-haiku-4-5' },
  google: { slug: 'google/gemini-3.5-flash', upstreamModel: 'gemini-3.5-flash' },
} as const satisfies Record<string, MeteredModel>;
export const TRANSLATION_MODELS: readonly MeteredModel[] = Object.values(MODELS);
type Provider = keyof typeof MODELS;
type Providers = readonly [own: Provider, one: Provider, other: Provider];

export interface TranslationMeasurement {
  readonly gateway: GatewayUnderTest;
  readonly generator: LoadGenerator;
  readonly processes: readonly ProcessGroup[];
  readonly seconds: number;
  readonly rounds: number;
  readonly concurrency: number;
  readonly signal: AbortSignal;
  readonly progress: (message: string) => void;
}

/** The same calls in each caller's format, to a provider of that format and to those of the others, by turns. */
export async function measureTranslation(run: TranslationMeasurement): Promise<TranslationRuns> {
  const runSeconds = Math.min(run.seconds, MAX_RUN_SECONDS);
  const groups: TranslationGroup[] = [];
  for (const stream of [false, true]) {
    for (const conversation of [shortConversation, longConversation]) {
      for (const caller of ['openai', 'anthropic'] as const) {
        groups.push(await measureGroup(run, { caller, stream, conversation }, runSeconds));
      }
    }
  }
  return { runSeconds, groups };
}

interface Calls {
  readonly caller: CallerFormat;
  readonly stream: boolean;
  readonly conversation: (directive: Directive) => Conversation;
}

async function measureGroup(
  run: TranslationMeasurement,
  calls: Calls,
  runSeconds: number,
): Promise<TranslationGroup> {
  const { generator, processes, rounds, signal, progress } = run;
  const title = titleOf(calls);
  const providers = providersFor(calls.caller);
  const routes = routesTo(providers);
  progress(`${title}: warming up`);
  await warmUp(run, calls, providers);
  for (let round = 1; round <= rounds; round++) {
    progress(`${title}: round ${round} of ${rounds}`);
    for (let turn = 1; turn <= RUNS_PER_ROUND; turn++) {
      // To and fro, so that what a run leaves behind does not always meet the same one.
      for (const route of turn % 2 === 0 ? routes.toReversed() : routes) {
        signal.throwIfAborted();
        route.rounds.push(
          await measure(orderOf(run, calls, route.provider, runSeconds), generator, processes),
        );
      }
    }
  }
  const callsPerSecond = calls.stream ? undefined : (run.concurrency * 1_000) / CALL_EVERY_MS;
  return { title, stream: calls.stream, callsPerSecond, routes };
}

/** What passes through is measured twice: each translation has it beside it, and by what both differ one sees the noise. */
function routesTo([own, one, other]: Providers) {
  const route = (provider: Provider, title: string, translated: boolean) => {
    return { provider, title, translated, rounds: [] as Round[] };
  };
  return [
    route(own, `to ${own}`, false),
    route(one, `to ${one}`, true),
    route(own, `to ${own} again`, false),
    route(other, `to ${other}`, true),
  ];
}

/** By turns: code that one route has compiled is given up when another brings it objects of another shape. */
async function warmUp(
  run: TranslationMeasurement,
  calls: Calls,
  providers: readonly Provider[],
): Promise<void> {
  let units = 0;
  for (let turn = 0; turn < MAX_WARM_UPS && units < WARM_UP_UNITS; turn++) {
    const done: number[] = [];
    for (const provider of providers) {
      run.signal.throwIfAborted();
      const result = await run.generator.run(unpaced(orderOf(run, calls, provider, WARM_UP_SECONDS)));
      done.push(calls.stream ? result.chunks : result.calls);
    }
    units += Math.min(...done);
  }
}

/** That of the caller's format first. */
function providersFor(caller: CallerFormat): Providers {
  return caller === 'openai' ? ['openai', 'anthropic', 'google'] : ['anthropic', 'openai', 'google'];
}

function titleOf({ caller, stream, conversation }: Calls): string {
  const what = conversation === longConversation ? 'long' : 'short';
  return `${caller === 'openai' ? "OpenAI's" : "Anthropic's"} format, ${stream ? 'streamed' : 'plain'}, ${what}`;
}

function orderOf(run: TranslationMeasurement, calls: Calls, provider: Provider, seconds: number): LoadOrder {
  const { stack, apiKey } = run.gateway;
  const { caller, stream, conversation } = calls;
  const { path, headers, passed, translated } = CALLERS[caller];
  const load = stream
    ? streams(seconds, provider === caller ? passed : translated)
    : plain(seconds, run.concurrency);
  const directive = load.kind === 'streams' ? chunkedReply(load.chunks, load.chunkDelayMs) : FIXED_REPLY;
  const body = JSON.stringify({
    model: MODELS[provider].slug,
    ...bodyOf(conversation(directive), caller),
    ...(stream && { stream }),
  });
  return {
    load,
    format: caller,
    url: stack.apiUrl + path,
    headers: {
      ...headers,
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    },
    body,
  };
}

function plain(seconds: number, connections: number): LoadShape & { kind: 'calls' } {
  return {
    kind: 'calls',
    connections,
    durationMs: seconds * 1_000,
    replyText: REPLY_TEXT,
    everyMs: CALL_EVERY_MS,
  };
}

function unpaced(order: LoadOrder): LoadOrder {
  if (order.load.kind === 'streams') return order;
  const { everyMs: _pace, ...load } = order.load;
  return { ...order, load };
}

function streams(seconds: number, framing: Framing): LoadShape & { kind: 'streams' } {
  return {
    kind: 'streams',
    streams: STREAMS,
    spacingMs: STREAM_SPACING_MS,
    chunks: Math.round((seconds * 1_000) / CHUNK_DELAY_MS),
    chunkDelayMs: CHUNK_DELAY_MS,
    framing,
  };
}
