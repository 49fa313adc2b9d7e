import type { TranslationGroup, TranslationRuns } from '../bench-report';
import type { MeteredModel } from '../gateway/check-money';
import type { GatewayUnderTest } from '../gateway/gateway-under-test';
import type { CallerFormat } from '../load/caller-format';
import type { HttpJob, LoadShape } from '../load/load-contract';
import type { LoadGenerator } from '../load/load-generator';
import { measure, type Round } from '../measure';
import type { ProcessGroup } from '../procfs/process-group';
import { chunkedReply, type Directive, FIXED_REPLY, REPLY_TEXT } from '../prompts';
import { bodyOf, type Conversation, longConversation, shortConversation } from './conversations';

/**
 * Fixed pace of each connection, the same on every route and far below the capacity of the stack. Without it, a slower route
 * would make fewer calls per second, so that other services would have smaller batches and a different CPU per call, which
 * would be attributed to translation. All connections start their calls at once, as under load: with single calls every
 * process would go to sleep between two steps, which costs three times as much as the measured difference.
 */
const CALL_EVERY_MS = 50;
/** Few enough that chunks do not queue: batched chunks cost less, which would hide the difference. */
const STREAMS = 40;
const CHUNK_DELAY_MS = 5;
const STREAM_SPACING_MS = 7;
/** Many short alternating runs, so that other load on the machine affects the compared routes equally. */
const MAX_RUN_SECONDS = 1;
const RUNS_PER_ROUND = 4;
/** Number of calls or chunks until V8 has compiled the code of a route, however slow the machine is. */
const WARM_UP_UNITS = 4_000;
const WARM_UP_SECONDS = 1;
const MAX_WARM_UPS = 20;

/** The formats whose calls pass through to one provider and are translated for another. */
type Translated = Extract<CallerFormat, 'openai' | 'anthropic'>;
type Framing = Readonly<{ before: number; after: number }>;

interface Caller {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Framing of the simulator, passThrough through: first the role, or the message start, a ping and the block start. */
  readonly passThrough: Framing;
  /** Framing of the gateway, which has the role in the first text chunk and no pings. */
  readonly translated: Framing;
}

const CALLERS: Readonly<Record<Translated, Caller>> = {
  openai: {
    path: '/v1/chat/completions',
    headers: {},
    passThrough: { before: 1, after: 2 },
    translated: { before: 0, after: 2 },
  },
  anthropic: {
    path: '/v1/messages',
    headers: { 'anthropic-version': '2023-06-01' },
    passThrough: { before: 3, after: 3 },
    translated: { before: 2, after: 3 },
  },
};

/** One model of each provider format; simulated, because the stack has no provider keys. */
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

/** Measures the same calls in each caller format, alternately to a provider of that format and to providers of others. */
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
  readonly caller: Translated;
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
      // In alternating order, so that the after-effects of a run do not always affect the same route.
      for (const route of turn % 2 === 0 ? routes.toReversed() : routes) {
        signal.throwIfAborted();
        route.rounds.push(await measure(jobOf(run, calls, route.provider, runSeconds), generator, processes));
      }
    }
  }
  const callsPerSecond = calls.stream ? undefined : (run.concurrency * 1_000) / CALL_EVERY_MS;
  return { title, stream: calls.stream, callsPerSecond, routes };
}

/** Measures pass-through twice: next to each translation, and to show the noise by the difference of both. */
function routesTo([own, one, other]: Providers) {
  const route = (provider: Provider, title: string, translated: boolean) => {
    return { provider, title, translated, rounds: [] as Round[] };
  };
  return [
    route(own, `to ${own}`, false),
    route(one, `to ${one}`, true),
    route(own, `to ${own} (repeated)`, false),
    route(other, `to ${other}`, true),
  ];
}

/** Alternates between routes, because code compiled for one route is deoptimized by the object shapes of another. */
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
      const result = await run.generator.run(unpaced(jobOf(run, calls, provider, WARM_UP_SECONDS)));
      done.push(calls.stream ? result.chunks : result.calls);
    }
    units += Math.min(...done);
  }
}

/** Returns the provider of the caller's format first. */
function providersFor(caller: Translated): Providers {
  return caller === 'openai' ? ['openai', 'anthropic', 'google'] : ['anthropic', 'openai', 'google'];
}

function titleOf({ caller, stream, conversation }: Calls): string {
  const what = conversation === longConversation ? 'long' : 'short';
  return `${caller === 'openai' ? "OpenAI's" : "Anthropic's"} format, ${stream ? 'streamed' : 'plain'}, ${what}`;
}

function jobOf(run: TranslationMeasurement, calls: Calls, provider: Provider, seconds: number): HttpJob {
  const { stack, apiKey } = run.gateway;
  const { caller, stream, conversation } = calls;
  const { path, headers, passThrough, translated } = CALLERS[caller];
  const load = stream
    ? streams(seconds, provider === caller ? passThrough : translated)
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

function unpaced(job: HttpJob): HttpJob {
  if (job.load.kind === 'streams') return job;
  const { everyMs: _pace, ...load } = job.load;
  return { ...job, load };
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
