import { SseSplitter } from '@gateway/upstream';
import { recording } from '../recorded-replies.fixture';

/** One event as the API sends it (platform.claude.com, streaming messages; SDK 1.10, `RawMessageStreamEvent`). */
export function frame(type: string, fields: object = {}): Buffer {
  return Buffer.from(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
}

export const started = (usage: object = { input_tokens: 25, output_tokens: 1 }) =>
  frame('message_start', {
    message: {
      id: 'msg_01',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-6',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { cache_creation_input_tokens: 0, cache_read_input_tokens: 0, ...usage },
    },
  });

export const begin = (index: number, content_block: object) =>
  frame('content_block_start', { index, content_block });
const delta = (index: number, type: string, fields: object) =>
  frame('content_block_delta', { index, delta: { type, ...fields } });
export const text = (index: number, text: string) => delta(index, 'text_delta', { text });
export const thinking = (index: number, thinking: string) => delta(index, 'thinking_delta', { thinking });
export const signature = (index: number, signature: string) => delta(index, 'signature_delta', { signature });
export const json = (index: number, partial_json: string) =>
  delta(index, 'input_json_delta', { partial_json });
export const end = (index: number) => frame('content_block_stop', { index });
export const ping = frame('ping');

export const stopped = (stop_reason: string, usage: object = { output_tokens: 15 }) =>
  frame('message_delta', { delta: { stop_reason, stop_sequence: null }, usage });
export const over = frame('message_stop');

/** Events of the recorded streams that are complete. */
export const STREAMS = {
  text: recorded('text.sse'),
  thinking: recorded('thinking.sse'),
  omittedThinking: recorded('thinking-omitted.sse'),
  parallelTools: recorded('tool-uses.sse'),
  serverTool: recorded('web-search.sse'),
  refusal: recorded('refusal.sse'),
  cached: recorded('cached.sse'),
};

function recorded(file: string): Buffer[] {
  return new SseSplitter().push(recording('anthropic', file));
}
