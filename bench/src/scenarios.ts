import type { LoadShape } from './load/load-contract';
import { chunkedReply, FIXED_REPLY, REPLY_TEXT, shortPrompt } from './prompts';

/** Scenarios that also run against the bare proxy. */
export const HTTP_SCENARIO_NAMES = ['plain', 'single', 'responses', 'stream'] as const;
export type HttpScenarioName = (typeof HTTP_SCENARIO_NAMES)[number];
export const SCENARIO_NAMES = [...HTTP_SCENARIO_NAMES, 'reserve', 'translate', 'records'] as const;
export type ScenarioName = (typeof SCENARIO_NAMES)[number];

export interface Scenario {
  readonly name: HttpScenarioName;
  readonly title: string;
  readonly stream: boolean;
  readonly format: 'openai' | 'responses';
  /** The messages to send; the target chooses the model. */
  readonly messages: readonly object[];
  readonly load: LoadShape;
}

const STREAMS = 100;
const CHUNK_DELAY_MS = 5;
/** Not a multiple of the chunk delay, so that the chunks of streams are spread over time. */
const STREAM_SPACING_MS = 7;

export function scenario(name: HttpScenarioName, seconds: number, concurrency: number): Scenario {
  if (name === 'stream') return streamed(seconds);
  const connections = name === 'single' ? 1 : concurrency;
  const isResponses = name === 'responses';
  return {
    name,
    title: `${isResponses ? 'responses, ' : ''}non-streamed, ${connections} ${connections === 1 ? 'connection' : 'connections'}`,
    stream: false,
    format: isResponses ? 'responses' : 'openai',
    messages: shortPrompt(FIXED_REPLY),
    load: { kind: 'calls', connections, durationMs: seconds * 1_000, replyText: REPLY_TEXT },
  };
}

function streamed(seconds: number): Scenario {
  const chunks = Math.round((seconds * 1_000) / CHUNK_DELAY_MS);
  return {
    name: 'stream',
    title: `${STREAMS} streams, a chunk every ${CHUNK_DELAY_MS} ms each`,
    stream: true,
    format: 'openai',
    messages: shortPrompt(chunkedReply(chunks, CHUNK_DELAY_MS)),
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
