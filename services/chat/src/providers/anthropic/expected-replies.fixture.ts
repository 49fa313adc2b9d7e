import {
  END,
  type ExpectedReplies,
  type Finish,
  LENGTH,
  REFUSAL,
  TOOL_CALLS,
  text,
  thinking,
  toolUse,
} from '../recorded-replies.fixture';

const provider = 'anthropic';
const STOP_SEQUENCE: Finish = { openai: 'stop', anthropic: 'stop_sequence' };
const SIGNATURE = 'EqQBCgIYAhIMZmlyc3Q=';
const REDACTED = { type: 'redacted_thinking', data: 'EmwKAhgBEgxoaWRkZW4=' } as const;

/**
 * The recordings follow the documented shapes (platform.claude.com, streaming messages, errors; SDK 1.10,
 * `RawMessageStreamEvent`); texts and figures are ours.
 */
export const expectedAnthropic: ExpectedReplies = {
  'text.json': {
    title: "reads Anthropic's plain message as recorded",
    provider,
    content: [text('Paris is the capital of France.')],
    finish: END,
    usage: { input: 14, output: 10 },
  },
  'text.sse': {
    title: "reads Anthropic's stream as recorded: the output tokens of message_delta replace earlier ones",
    provider,
    content: [text('Paris is the capital of France – naturellement.')],
    finish: END,
    usage: { input: 14, output: 13 },
  },
  'cached.json': {
    title: "charges Anthropic's cached tokens as recorded: in addition to the input, by their lifetime",
    provider,
    content: [text('Yes.')],
    finish: END,
    usage: { input: 7, cache_read: 1_000, cache_write: 200, cache_write_1h: 100, output: 4 },
  },
  'cached.sse': {
    title:
      "charges the cached tokens of Anthropic's stream as recorded: message_delta repeats them, or has null",
    provider,
    content: [text('One, two, ')],
    finish: STOP_SEQUENCE,
    usage: { input: 7, cache_read: 1_000, cache_write: 200, cache_write_1h: 100, output: 40, reasoning: 30 },
  },
  'thinking.json': {
    title: "reads Anthropic's message with thinking as recorded: signed, and redacted",
    provider,
    content: [thinking('Two and two make four.', SIGNATURE), REDACTED, text('Four.')],
    finish: END,
    usage: { input: 41, output: 30, reasoning: 22 },
  },
  'thinking.sse': {
    title: "reads Anthropic's stream with thinking as recorded: the signature is the block's last delta",
    provider,
    content: [thinking('Two and two make four.', SIGNATURE), text('Four.')],
    finish: END,
    usage: { input: 41, output: 30, reasoning: 22 },
  },
  'thinking-omitted.sse': {
    title:
      "reads Anthropic's stream with omitted thinking as recorded: the signature alone is kept, and so is redacted thinking",
    provider,
    content: [thinking('', SIGNATURE), REDACTED, text('Four.')],
    finish: END,
    usage: { input: 41, output: 30, reasoning: 22 },
  },
  'tool-use.json': {
    title: "reads Anthropic's tool use as recorded: after text",
    provider,
    content: [
      text('Let me look.'),
      toolUse('toolu_01AaBbCcDdEeFfGgHhIiJjKk', 'get_weather', { city: 'Zürich', days: 3 }),
    ],
    finish: TOOL_CALLS,
    usage: { input: 390, output: 62 },
  },
  'tool-uses.sse': {
    title:
      "reads Anthropic's streamed tool uses as recorded: with input in pieces, without input, and with input from the start",
    provider,
    content: [
      text('Let me look.'),
      toolUse('toolu_01AaBbCcDdEeFfGgHhIiJjKk', 'get_weather', { city: 'Zürich' }),
      toolUse('toolu_01LlMmNnOoPpQqRrSsTtUuVv', 'get_time', {}),
      toolUse('toolu_01WwXxYyZzAaBbCcDdEeFfGg', 'get_news', { topic: 'sea' }),
    ],
    finish: TOOL_CALLS,
    usage: { input: 390, output: 85 },
  },
  'web-search.sse': {
    title:
      "reads Anthropic's paused stream with a web search as recorded: clients of its format receive the search, and it is counted",
    provider,
    content: [{ type: 'server_tool_use' }, { type: 'web_search_tool_result' }, text('Blue.')],
    finish: { openai: 'length', anthropic: 'pause_turn' },
    usage: { input: 2_060, output: 31, units: { web_search: 1, web_search_prompt: 1 } },
  },
  'refusal.json': {
    title: "reads Anthropic's refusal without content as recorded",
    provider,
    content: [],
    finish: REFUSAL,
    usage: { input: 52, output: 3 },
  },
  'refusal.sse': {
    title: "reads Anthropic's refusal within a stream as recorded: the text before it is charged",
    provider,
    content: [text('The first step')],
    finish: REFUSAL,
    usage: { input: 52, output: 6 },
  },
  'max-tokens.sse': {
    title: "reads Anthropic's stream that reaches its maximum output as recorded",
    provider,
    content: [text('Once upon a')],
    finish: LENGTH,
    usage: { input: 12, output: 3 },
  },
  'stop-sequence.json': {
    title: "reads Anthropic's message that ends at a stop sequence as recorded",
    provider,
    content: [text('One, two, ')],
    finish: STOP_SEQUENCE,
    usage: { input: 20, output: 6 },
  },
  'error-invalid-request.json': {
    title: "reports Anthropic's refusal of a request as recorded: the client receives the reason",
    provider,
    httpStatus: 400,
    error: { code: 'invalid_request', status: 400, detail: 'messages.3: tool_use ids must be unique' },
  },
  'error-credit.json': {
    title: "reports Anthropic's refusal for lack of credit as recorded: its 400 does not blame the client",
    provider,
    httpStatus: 400,
    error: { code: 'upstream_unavailable', status: 502 },
  },
  'error-overloaded.json': {
    title: "reports Anthropic's overload as recorded: status 529 is a failure",
    provider,
    httpStatus: 529,
    error: { code: 'upstream_failed', status: 502 },
  },
  'error-event.sse': {
    title:
      "ends Anthropic's stream at its error event as recorded: the text before it is counted and charged",
    provider,
    content: [text('Half of the answer')],
    usage: { input: 14, output: 4 },
    error: { code: 'upstream_failed', status: 200 },
  },
  'error-event-first.sse': {
    title:
      "reports the error event that is first in Anthropic's stream as recorded: like the status of its type",
    provider,
    error: { code: 'rate_limited', status: 429, retryAfterSeconds: 1 },
  },
  'cut.sse': {
    title:
      "ends Anthropic's cut stream with an error as recorded: the cut event is neither shown nor charged",
    provider,
    content: [text('One two three four five')],
    usage: { input: 14, output: 5 },
    error: { code: 'upstream_failed', status: 200 },
  },

  'vertex-text.sse': {
    title: 'reads the stream of Claude on Vertex AI as recorded',
    provider: 'vertex-anthropic',
    content: [text('Paris.')],
    finish: END,
    usage: { input: 14, cache_read: 6, output: 4 },
  },
  'vertex-tool-use.json': {
    title: 'reads a tool call of Claude on Vertex AI as recorded: after thinking',
    provider: 'vertex-anthropic',
    content: [
      thinking('I need the weather.', 'c2lnbmVk'),
      toolUse('toolu_vrtx_01AbCdEfGhIj', 'get_weather', { city: 'Zürich' }),
    ],
    finish: TOOL_CALLS,
    usage: { input: 40, output: 30 },
  },
  'vertex-error-quota.json': {
    title: "reports Google's refusal for lack of quota for Claude on Vertex AI as recorded",
    provider: 'vertex-anthropic',
    httpStatus: 429,
    error: { code: 'rate_limited', status: 429 },
  },
  'vertex-error-argument.json': {
    title:
      "reports Anthropic's refusal of a parameter on Vertex AI as recorded: the client receives the reason",
    provider: 'vertex-anthropic',
    httpStatus: 400,
    error: { code: 'invalid_request', status: 400, detail: 'max_tokens: Field required' },
  },
  'vertex-error-token.json': {
    title: "reports Google's refusal of our token for Claude on Vertex AI as recorded",
    provider: 'vertex-anthropic',
    httpStatus: 401,
    error: { code: 'upstream_unavailable', status: 502 },
  },
};
