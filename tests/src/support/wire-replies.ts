import { GEMINI_REPLIES } from './gemini-replies';
import { MESSAGES_REPLIES } from './messages-replies';
import {
  COMPLETION,
  DONE,
  ERROR_EVENT_VARIANTS,
  errorTypeOf,
  providerError,
  ROLE_CHUNK,
  SPOKEN_CHUNKS,
  SPOKEN_COMPLETION,
  STREAM_CHUNKS,
  sse,
  TOOL_CHUNKS,
  TOOL_COMPLETION,
  type WireReplies,
} from './provider-replies';
import { RESPONSES_REPLIES } from './responses-replies';

/** The formats of providers. */
export type WireName = 'openai' | 'responses' | 'anthropic' | 'gemini';

const COMPLETIONS_REPLIES: WireReplies = {
  whole: COMPLETION,
  withUsage: (prompt_tokens, completion_tokens) => ({
    ...COMPLETION,
    usage: { prompt_tokens, completion_tokens },
  }),
  chunks: STREAM_CHUNKS,
  tools: TOOL_COMPLETION,
  toolChunks: TOOL_CHUNKS,
  frame: sse,
  end: DONE,
  opening: sse(ROLE_CHUNK),
  partialStream: STREAM_CHUNKS.slice(0, 4).map(sse).join(''),
  refusal: (status, message) => providerError(message, errorTypeOf(status)),
  errorEvent: sse(providerError('overloaded', 'server_error')),
  errorEventVariants: ERROR_EVENT_VARIANTS,
  withoutContent: [
    ['choices that are not a list', { ...COMPLETION, choices: 'none' }],
    ['no choices', { ...COMPLETION, choices: [] }],
    ['a choice without a message', { ...COMPLETION, choices: [{ index: 0, finish_reason: 'stop' }] }],
  ],
};

export const WIRE_REPLIES: Readonly<Record<WireName, WireReplies>> = {
  openai: COMPLETIONS_REPLIES,
  responses: RESPONSES_REPLIES,
  anthropic: MESSAGES_REPLIES,
  gemini: GEMINI_REPLIES,
};

/** Of calls that ask for spoken replies in OpenAI's format. */
export const SPOKEN_REPLIES: WireReplies = {
  ...COMPLETIONS_REPLIES,
  whole: SPOKEN_COMPLETION,
  chunks: SPOKEN_CHUNKS,
};

export function streamOf({ chunks, frame, end }: WireReplies): string {
  return chunks.map(frame).join('') + end;
}
