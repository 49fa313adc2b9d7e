/** Streams in the documented shapes (platform.claude.com, streaming messages; SDK 1.10, `RawMessageStreamEvent`). */

/** One event as the API sends it. */
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
export const delta = (index: number, type: string, fields: object) =>
  frame('content_block_delta', { index, delta: { type, ...fields } });
export const text = (index: number, text: string) => delta(index, 'text_delta', { text });
export const thinking = (index: number, thinking: string) => delta(index, 'thinking_delta', { thinking });
export const signature = (index: number, signature: string) => delta(index, 'signature_delta', { signature });
export const json = (index: number, partial_json: string) =>
  delta(index, 'input_json_delta', { partial_json });
export const end = (index: number) => frame('content_block_stop', { index });
export const ping = frame('ping');

export const stopped = (stop_reason: string, usage: object = { output_tokens: 15 }, stop_sequence?: string) =>
  frame('message_delta', { delta: { stop_reason, stop_sequence: stop_sequence ?? null }, usage });
export const over = frame('message_stop');

const emptyText = { type: 'text', text: '' };
const emptyThought = { type: 'thinking', thinking: '', signature: '' };
const call = (id: string, name: string, input: object = {}) => ({ type: 'tool_use', id, name, input });

export const STREAMS = {
  text: [
    started(),
    begin(0, emptyText),
    ping,
    text(0, 'Hel'),
    text(0, 'lo'),
    end(0),
    stopped('end_turn'),
    over,
  ],

  thinking: [
    started(),
    ping,
    begin(0, emptyThought),
    thinking(0, 'Let me '),
    thinking(0, 'see.'),
    signature(0, 'EqQB=='),
    end(0),
    begin(1, emptyText),
    text(1, 'Yes.'),
    end(1),
    stopped('end_turn'),
    over,
  ],

  unshownThinking: [
    started(),
    begin(0, emptyThought),
    signature(0, 'EqQB=='),
    end(0),
    begin(1, { type: 'redacted_thinking', data: 'EmwK' }),
    end(1),
    begin(2, emptyText),
    text(2, 'Yes.'),
    end(2),
    stopped('end_turn'),
    over,
  ],

  parallelTools: [
    started(),
    begin(0, emptyText),
    text(0, 'Looking.'),
    end(0),
    begin(1, call('toolu_01A', 'weather')),
    json(1, ''),
    json(1, '{"city": "San'),
    ping,
    json(1, ' Jose"}'),
    end(1),
    begin(2, call('toolu_01B', 'time')),
    json(2, ''),
    end(2),
    begin(3, call('toolu_01C', 'news', { topic: 'sea' })),
    end(3),
    stopped('tool_use'),
    over,
  ],

  serverTool: [
    started(),
    begin(0, { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }),
    json(0, '{"query":"sea"}'),
    end(0),
    begin(1, { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }),
    end(1),
    begin(2, emptyText),
    delta(2, 'citations_delta', {
      citation: { type: 'web_search_result_location', url: 'https://a.example' },
    }),
    text(2, 'Blue.'),
    end(2),
    stopped('pause_turn'),
    over,
  ],

  refusal: [started(), begin(0, emptyText), text(0, 'I'), end(0), stopped('refusal'), over],

  cached: [
    started({
      input_tokens: 7,
      cache_read_input_tokens: 1000,
      cache_creation_input_tokens: 300,
      cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 100 },
      output_tokens: 3,
    }),
    begin(0, emptyText),
    text(0, 'Hi'),
    end(0),
    stopped(
      'stop_sequence',
      {
        input_tokens: 7,
        cache_read_input_tokens: 1000,
        cache_creation_input_tokens: null,
        output_tokens: 40,
        output_tokens_details: { thinking_tokens: 30 },
      },
      'END',
    ),
    over,
  ],
} satisfies Record<string, Buffer[]>;
