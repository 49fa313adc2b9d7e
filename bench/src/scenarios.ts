import type { CallerFormat } from './load/caller-format';
import type { LoadShape } from './load/load-contract';
import {
  chunkedReply,
  EMBEDDING_INPUTS,
  FIXED_REPLY,
  REPLY_TEXT,
  shortPrompt,
  withDirective,
} from './prompts';

/** Scenarios that also run against the bare proxy. */
export const HTTP_SCENARIO_NAMES = ['plain', 'single', 'responses', 'long', 'embeddings', 'stream'] as const;
export type HttpScenarioName = (typeof HTTP_SCENARIO_NAMES)[number];
export const SCENARIO_NAMES = [
  ...HTTP_SCENARIO_NAMES,
  'reserve',
  'instances',
  'translate',
  'records',
] as const;
export type ScenarioName = (typeof SCENARIO_NAMES)[number];

export interface Scenario {
  readonly name: HttpScenarioName;
  readonly title: string;
  readonly stream: boolean;
  readonly format: CallerFormat;
  /** Members of the body; the target adds the model. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly load: LoadShape;
}

const STREAMS = 100;
const CHUNK_DELAY_MS = 5;
/** Not a multiple of the chunk delay, so that the chunks of streams are spread over time. */
const STREAM_SPACING_MS = 7;

/** Tokens of the reply of `long`, so that its size is that of the vectors: 56 kB, to prompts of 11 kB. */
const LONG_REPLY_TOKENS = 13_200;
/** The pace is fixed: calls in flight share batches, so the slower of the two would cost more. */
const LARGE_CALL_INTERVAL_MS = 250;
const DIMENSIONS = 96;

export function scenario(name: HttpScenarioName, seconds: number, concurrency: number): Scenario {
  const calls = { kind: 'calls', connections: concurrency, durationMs: seconds * 1_000 } as const;
  const short: Scenario = {
    name,
    title: `non-streamed, ${concurrency} connections`,
    stream: false,
    format: 'openai',
    body: { messages: shortPrompt(FIXED_REPLY) },
    load: { ...calls, replyText: REPLY_TEXT },
  };
  const large = { name, stream: false, load: { ...calls, everyMs: LARGE_CALL_INTERVAL_MS } } as const;
  switch (name) {
    case 'plain':
      return short;
    case 'single':
      return {
        ...short,
        title: 'non-streamed, 1 connection',
        load: { ...calls, connections: 1, replyText: REPLY_TEXT },
      };
    case 'responses':
      return {
        ...short,
        title: `responses, ${short.title}`,
        format: 'responses',
        body: { input: shortPrompt(FIXED_REPLY), store: false },
      };
    case 'long': {
      const directive = chunkedReply(LONG_REPLY_TOKENS, 0);
      const content = withDirective(EMBEDDING_INPUTS.join('\n'), directive);
      return {
        ...large,
        title: `long prompt and reply, ${concurrency} connections`,
        format: 'openai',
        body: { messages: [{ role: 'user', content }] },
      };
    }
    case 'embeddings':
      return {
        ...large,
        title: `${EMBEDDING_INPUTS.length} embeddings, ${concurrency} connections`,
        format: 'embeddings',
        body: { input: EMBEDDING_INPUTS, dimensions: DIMENSIONS, encoding_format: 'base64' },
      };
    case 'stream':
      return streamed(seconds);
  }
}

function streamed(seconds: number): Scenario {
  const chunks = Math.round((seconds * 1_000) / CHUNK_DELAY_MS);
  return {
    name: 'stream',
    title: `${STREAMS} streams, a chunk every ${CHUNK_DELAY_MS} ms each`,
    stream: true,
    format: 'openai',
    body: { messages: shortPrompt(chunkedReply(chunks, CHUNK_DELAY_MS)), stream: true },
    load: {
      kind: 'streams',
      streams: STREAMS,
      spacingMs: STREAM_SPACING_MS,
      chunks,
      chunkDelayMs: CHUNK_DELAY_MS,
      // The role before the text; the finish reason and `[DONE]` after it.
      framing: { before: 1, after: 2 },
    },
  };
}
