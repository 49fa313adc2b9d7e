import { ERROR_EVENT_VARIANTS, type WireReplies, WORDS } from './provider-replies';

/** Anthropic's replies, from its documentation (SDK 1.10: `Message`, `RawMessageStreamEvent`, `ErrorResponse`). */
const MESSAGE = {
  id: 'msg_01',
  type: 'message',
  role: 'assistant',
  model: 'claude-haiku-4-5-20251001',
  content: [{ type: 'text', text: 'Hello there, how are you?' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: {
    input_tokens: 20,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 8,
    service_tier: 'standard',
  },
};

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

const errorObject = (message: unknown, type: string) => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_01',
});

const event = (data: { type: string }) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const start = {
  type: 'message_start',
  message: {
    ...MESSAGE,
    content: [],
    stop_reason: null,
    usage: { ...MESSAGE.usage, output_tokens: 1 },
  },
};
const words = WORDS.map((text) => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text },
}));
const chunks = [
  start,
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'ping' },
  ...words,
  { type: 'content_block_stop', index: 0 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 8 },
  },
  { type: 'message_stop' },
];

const toolUse = (index: number, input: object = { at: [1, 'ä'] }) => ({
  type: 'tool_use',
  id: `toolu_${index}`,
  name: 'look',
  input,
});
const thought = { type: 'thinking', thinking: 'Where?', signature: 'c2lnbmVk' };
const block = (index: number, content_block: object, ...deltas: object[]) => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];
const toolChunks = [
  start,
  ...block(
    0,
    { ...thought, thinking: '', signature: '' },
    { type: 'thinking_delta', thinking: thought.thinking },
    { type: 'signature_delta', signature: thought.signature },
  ),
  ...block(1, { type: 'redacted_thinking', data: 'c2VjcmV0' }),
  ...block(2, { type: 'text', text: '' }, { type: 'text_delta', text: 'I look.' }),
  ...block(
    3,
    toolUse(3, {}),
    { type: 'input_json_delta', partial_json: '{"at":' },
    { type: 'input_json_delta', partial_json: '1}' },
  ),
  ...block(4, toolUse(4, {}), { type: 'input_json_delta', partial_json: '{}' }),
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 8 } },
  { type: 'message_stop' },
];

export const MESSAGES_REPLIES: WireReplies = {
  tools: {
    ...MESSAGE,
    content: [
      thought,
      { type: 'redacted_thinking', data: 'c2VjcmV0' },
      { type: 'text', text: 'I look.' },
      toolUse(3),
      toolUse(4, {}),
    ],
    stop_reason: 'tool_use',
  },
  toolChunks,
  whole: MESSAGE,
  withUsage: (input_tokens, output_tokens) => ({ ...MESSAGE, usage: { input_tokens, output_tokens } }),
  chunks,
  frame: (chunk) => event(chunk as { type: string }),
  end: '',
  opening: chunks.slice(0, 3).map(event).join(''),
  partialStream: chunks.slice(0, 6).map(event).join(''),
  refusal: (status, message) => errorObject(message, ERROR_TYPES[status] ?? 'api_error'),
  errorEvent: event(errorObject('Overloaded', 'overloaded_error')),
  errorEventVariants: ERROR_EVENT_VARIANTS,
  withoutContent: [
    ['content that is not a list', { ...MESSAGE, content: 'none' }],
    ['a completion of another format', { object: 'chat.completion', choices: [] }],
  ],
};
