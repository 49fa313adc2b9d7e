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
  const calls = (connections: number): LoadShape => ({
    kind: 'calls',
    connections,
    durationMs: seconds * 1_000,
    replyText: REPLY_TEXT,
  });
  const largeCalls: LoadShape = {
    kind: 'calls',
    connections: concurrency,
    durationMs: seconds * 1_000,
    everyMs: LARGE_CALL_INTERVAL_MS,
  };
  const short = shortPrompt(FIXED_REPLY);
  switch (name) {
    case 'plain':
      return {
        name,
        title: `non-streamed, ${concurrency} connections`,
        stream: false,
        format: 'openai',
        body: { messages: short },
        load: calls(concurrency),
      };
    case 'single':
      return {
        name,
        title: 'non-streamed, 1 connection',
        stream: false,
        format: 'openai',
        body: { messages: short },
        load: calls(1),
      };
    case 'responses':
      return {
        name,
        title: `responses, non-streamed, ${concurrency} connections`,
        stream: false,
        format: 'responses',
        body: { input: short, store: false },
        load: calls(concurrency),
      };
    case 'long': {
      const directive = chunkedReply(LONG_REPLY_TOKENS, 0);
      const content = withDirective(EMBEDDING_INPUTS.join('\n'), directive);
      return {
        name,
        title: `long prompt and reply, ${concurrency} connections`,
        stream: false,
        format: 'openai',
        body: { messages: [{ role: 'user', content }] },
        load: largeCalls,
      };
    }
    case 'embeddings':
      return {
        name,
        title: `${EMBEDDING_INPUTS.length} embeddings, ${concurrency} connections`,
        stream: false,
        format: 'embeddings',
        body: { input: EMBEDDING_INPUTS, dimensions: DIMENSIONS, encoding_format: 'base64' },
        load: largeCalls,
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
