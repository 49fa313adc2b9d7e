import {
  END,
  type ExpectedReplies,
  LENGTH,
  TOOL_CALLS,
  text,
  thinking,
  toolUse,
} from '../recorded-replies.fixture';

const provider = 'cohere';
const THOUGHT = 'Two and two make four.';

/**
 * The recordings follow the documented shapes (docs.cohere.com/reference: chat, chat-stream, errors, and the types of the SDK,
 * cohere-ai); texts and figures are ours.
 */
export const expectedCohere: ExpectedReplies = {
  'text.json': {
    title: "charges Cohere's billed units as recorded: the tokens include instructions that it does not bill",
    provider,
    content: [text('Bern is the capital.')],
    finish: END,
    usage: { input: 9, output: 5 },
  },
  'text.sse': {
    title: "reads Cohere's stream as recorded: without its citations, with usage in the last event",
    provider,
    content: [text('Bern is the capital – natürlich.')],
    finish: END,
    usage: { input: 9, output: 8 },
  },
  'thinking.json': {
    title: "reads Cohere's reply with thinking as recorded",
    provider,
    content: [thinking(THOUGHT), text('Four.')],
    finish: END,
    usage: { input: 12, output: 19 },
  },
  'thinking.sse': {
    title: "reads Cohere's stream with thinking as recorded: it is a content part before the text",
    provider,
    content: [thinking(THOUGHT), text('Four.')],
    finish: END,
    usage: { input: 12, output: 19 },
  },
  'tool-call.json': {
    title: "reads Cohere's tool call as recorded: after a plan, with null for no arguments",
    provider,
    content: [thinking('I will look up the time.'), toolUse('get_time_8w1x5c3n7m0z', 'get_time', {})],
    finish: TOOL_CALLS,
    usage: { input: 33, output: 11 },
  },
  'tool-calls.sse': {
    title:
      "reads Cohere's streamed tool calls as recorded: the arguments of one in pieces, none of the other",
    provider,
    content: [
      thinking('I will look up both.'),
      toolUse('get_weather_4kq0vs9h2p1r', 'get_weather', { city: 'Zürich' }),
      toolUse('get_time_8w1x5c3n7m0z', 'get_time', {}),
    ],
    finish: TOOL_CALLS,
    usage: { input: 61, output: 24 },
  },
  'max-tokens.sse': {
    title: "reads Cohere's stream that reaches its maximum output as recorded",
    provider,
    content: [text('Once upon a')],
    finish: LENGTH,
    usage: { input: 5, output: 3 },
  },
  'stop-sequence.json': {
    title: "reads Cohere's reply that a stop sequence ended as recorded: without billed units, tokens count",
    provider,
    content: [text('One, two')],
    finish: { openai: 'stop', anthropic: 'stop_sequence' },
    usage: { input: 20, output: 4 },
  },
  'failed.sse': {
    title: "ends Cohere's stream that fails at its end as recorded: what it used before is charged",
    provider,
    content: [text('Half of')],
    usage: { input: 5, output: 2 },
    error: { code: 'upstream_failed', status: 200 },
  },
  'cut.sse': {
    title: "ends Cohere's cut stream with an error as recorded: the cut event is neither shown nor charged",
    provider,
    content: [text('One two three four five')],
    usage: { input: 8, output: 5 },
    isCounted: true,
    error: { code: 'upstream_failed', status: 200 },
  },
  'error-invalid-request.json': {
    title: "reports Cohere's refusal of a call as recorded: the client receives its message",
    provider,
    httpStatus: 400,
    error: {
      code: 'invalid_request',
      status: 400,
      detail: 'invalid request: valid tool calls must have unique ids',
    },
  },
  'error-key.json': {
    title: "reports Cohere's refusal of our key as recorded: as an unavailable provider",
    provider,
    httpStatus: 401,
    error: { code: 'upstream_unavailable', status: 502 },
  },
  'error-rate-limit.json': {
    title: "reports Cohere's rate limit as recorded: without its message about our key",
    provider,
    httpStatus: 429,
    error: { code: 'rate_limited', status: 429 },
  },
};
