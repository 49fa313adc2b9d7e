import {
  END,
  type ExpectedReplies,
  type ExpectedReply,
  type Finish,
  LENGTH,
  REFUSAL,
  TOOL_CALLS,
  text,
  thinking,
  toolUse,
} from '../recorded-replies.fixture';

const provider = 'bedrock';
const STOP_SEQUENCE: Finish = { openai: 'stop', anthropic: 'stop_sequence' };
const CONTEXT_FULL: Finish = { openai: 'length', anthropic: 'model_context_window_exceeded' };
const SIGNATURE = 'gw1.bedrock.EqQBCgIYAhIMZmlyc3Q=';
const redacted = (data: string) => ({ type: 'redacted_thinking', data: `gw1.bedrock.${data}` }) as const;

/** A stream that an exception ends: the text before it is charged by our own count. */
const brokenBy = (title: string): ExpectedReply => ({
  title,
  provider,
  content: [text('One two three four five')],
  usage: { input: 8, output: 5 },
  isCounted: true,
  error: { code: 'upstream_failed', status: 200 },
});

/**
 * The recordings follow the documented shapes (API reference, Converse and ConverseStream; SDK 3.1164); texts and figures are
 * ours. A `.jsonl` has a line for each message of a stream, which is encoded with its checksums when a test reads it.
 */
export const expectedBedrock: ExpectedReplies = {
  'text.json': {
    title: "reads Bedrock's plain reply as recorded",
    provider,
    content: [text('Paris is the capital of France.')],
    finish: END,
    usage: { input: 14, output: 10 },
  },
  'text.jsonl': {
    title:
      "reads Bedrock's stream as recorded: padding and an unknown event are ignored, the usage comes last",
    provider,
    content: [text('Paris is the capital of France – naturellement.')],
    finish: END,
    usage: { input: 14, output: 13 },
  },
  'cached.json': {
    title: "charges Bedrock's cached tokens as recorded: in addition to the input, by their lifetime",
    provider,
    content: [text('Yes.')],
    finish: END,
    usage: { input: 7, cache_read: 1_000, cache_write: 200, cache_write_1h: 100, output: 4 },
  },
  'cached.jsonl': {
    title: "charges the cached tokens of Bedrock's stream as recorded: by their lifetime",
    provider,
    content: [text('Yes.')],
    finish: END,
    usage: { input: 7, cache_read: 1_000, cache_write: 200, cache_write_1h: 100, output: 4 },
  },
  'thinking.json': {
    title: "reads Bedrock's reply with thinking as recorded: signed, and redacted",
    provider,
    content: [thinking('Two and two make four.', SIGNATURE), redacted('RW13S0FoZ0I='), text('Four.')],
    finish: END,
    usage: { input: 41, output: 30 },
  },
  'unsigned-thinking.json': {
    title: "reads Bedrock's reply with thinking that is not signed as recorded",
    provider,
    content: [thinking('Hm.'), text('ok')],
    finish: END,
    usage: { input: 88, output: 2_980 },
  },
  'thinking.jsonl': {
    title: "reads Bedrock's stream with thinking as recorded: the pieces of its signature are joined",
    provider,
    content: [thinking('Two and two make four.', SIGNATURE), text('Four.')],
    finish: END,
    usage: { input: 41, output: 30 },
  },
  'redacted.jsonl': {
    title: "reads Bedrock's stream with redacted thinking as recorded: its pieces are joined as bytes",
    provider,
    content: [redacted('cnNuX2hpZGRlbiE='), toolUse('call_61f8fcbe423a', 'find', { q: 'ä' })],
    finish: TOOL_CALLS,
    usage: { input: 67, output: 70 },
  },
  'tool-calls.json': {
    title: "reads Bedrock's parallel tool calls as recorded: the second has no input",
    provider,
    content: [
      text('Let me look.'),
      toolUse('tooluse_kZJMlvQmRJ6eAyJE5GIl7Q', 'get_weather', { city: 'Zürich', days: 3 }),
      toolUse('tooluse_0000000000000000000000', 'get_time', {}),
    ],
    finish: TOOL_CALLS,
    usage: { input: 458, output: 64 },
  },
  'tool-calls.jsonl': {
    title: "reads Bedrock's parallel tool calls in a stream as recorded: input in pieces, and none at all",
    provider,
    content: [
      text('Let me look.'),
      toolUse('tooluse_kZJMlvQmRJ6eAyJE5GIl7Q', 'get_weather', { city: 'Zürich', days: 3 }),
      toolUse('tooluse_0000000000000000000000', 'get_time', {}),
    ],
    finish: TOOL_CALLS,
    usage: { input: 420, output: 61 },
  },
  'image.json': {
    title: "reads Bedrock's reply with an image as recorded: the image is ignored",
    provider,
    content: [text('Here.')],
    finish: END,
    usage: { input: 9, output: 3 },
  },
  'max-tokens.jsonl': {
    title: "reads Bedrock's stream that reaches its maximum output as recorded",
    provider,
    content: [text('Once upon a')],
    finish: LENGTH,
    usage: { input: 12, output: 3 },
  },
  'stop-sequence.json': {
    title: "reads Bedrock's reply that a stop sequence ends as recorded",
    provider,
    content: [text('One, two, ')],
    finish: STOP_SEQUENCE,
    usage: { input: 12, output: 6 },
  },
  'stop-sequence.jsonl': {
    title: "reads Bedrock's stream that a stop sequence ends as recorded",
    provider,
    content: [text('One, two, ')],
    finish: STOP_SEQUENCE,
    usage: { input: 12, output: 6 },
  },
  'guardrail.jsonl': {
    title: "reads Bedrock's stream that a guardrail answers as recorded: a refusal",
    provider,
    content: [text('Sorry, the model cannot answer this question.')],
    finish: REFUSAL,
    usage: {},
  },
  'content-filtered.jsonl': {
    title: "reads Bedrock's stream that the content filter ends as recorded: the text before it is charged",
    provider,
    content: [text('The first step')],
    finish: REFUSAL,
    usage: { input: 25, output: 3 },
  },
  'no-content.json': {
    title: "reads Bedrock's filtered reply without content as recorded",
    provider,
    content: [],
    finish: REFUSAL,
    usage: { input: 12 },
  },
  'context-full.jsonl': {
    title: "reads Bedrock's stream that fills the context as recorded",
    provider,
    content: [text('And so')],
    finish: CONTEXT_FULL,
    usage: { input: 199_998, output: 2 },
  },
  'malformed-output.json': {
    title: "reports Bedrock's malformed output as recorded: the call failed and is free",
    provider,
    error: { code: 'upstream_failed', status: 502 },
  },
  'malformed-tool-use.jsonl': {
    ...brokenBy(
      "ends Bedrock's stream with malformed tool use as recorded: with an error, charged by its usage",
    ),
    usage: { input: 9, output: 5 },
    isCounted: false,
  },
  'exception-first-throttling.jsonl': {
    title: "reports Bedrock's throttling before the first content as recorded: as a rate limit",
    provider,
    error: { code: 'rate_limited', status: 429, retryAfterSeconds: 1 },
  },
  'exception-first-validation.jsonl': {
    title: "reports Bedrock's refusal in a stream before the first content as recorded: with its message",
    provider,
    error: { code: 'invalid_request', status: 400, detail: 'Input is too long for requested model.' },
  },
  'exception-first-unavailable.jsonl': {
    title: "reports Bedrock's outage before the first content as recorded: the call is free",
    provider,
    error: { code: 'upstream_failed', status: 502 },
  },
  'exception-model-stream-error.jsonl': brokenBy("ends Bedrock's stream at a model stream error as recorded"),
  'exception-internal.jsonl': brokenBy("ends Bedrock's stream at an internal error as recorded"),
  'exception-throttling.jsonl': brokenBy("ends Bedrock's stream at throttling after content as recorded"),
  'exception-validation.jsonl': brokenBy("ends Bedrock's stream at a late refusal as recorded"),
  'exception-unavailable.jsonl': brokenBy("ends Bedrock's stream at an outage as recorded"),
  'exception-timeout.jsonl': brokenBy("ends Bedrock's stream at a timeout of the model as recorded"),
  'exception-unknown.jsonl': brokenBy("ends Bedrock's stream at an unknown exception as recorded"),
  'cut.jsonl': brokenBy("ends Bedrock's cut stream with an error as recorded"),
  'error-throttling.json': {
    title: "reports Bedrock's throttling as recorded: as a rate limit",
    provider,
    httpStatus: 429,
    error: { code: 'rate_limited', status: 429, retryAfterSeconds: 1 },
  },
  'error-validation.json': {
    title: "reports Bedrock's refusal of a parameter as recorded: with its message",
    provider,
    httpStatus: 400,
    error: {
      code: 'invalid_request',
      status: 400,
      detail: 'The maximum tokens you requested exceeds the model limit of 8192.',
    },
  },
  'error-model.json': {
    title: 'reports an unknown model at Bedrock as recorded: its 400 does not blame the client',
    provider,
    httpStatus: 400,
    error: { code: 'upstream_unavailable', status: 502 },
  },
  'error-key.json': {
    title: "reports Bedrock's refusal of our key as recorded",
    provider,
    httpStatus: 403,
    error: { code: 'upstream_unavailable', status: 502 },
  },
  'error-timeout.json': {
    title: "reports a timeout of Bedrock's model as recorded",
    provider,
    httpStatus: 408,
    error: { code: 'upstream_failed', status: 502 },
  },
};
