import {
  ERROR_EVENT_VARIANTS,
  errorTypeOf,
  providerError,
  sse,
  type WireReplies,
  WORDS,
} from './provider-replies';

/** Replies of OpenAI's Responses API, from its documentation (openai 7.57: `Response`, `ResponseStreamEvent`). */
const message = (text: string) => ({
  id: 'msg_1',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
});
const USAGE = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens: 8,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 28,
};
const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  created_at: 1_795_000_000,
  status: 'completed',
  error: null,
  incomplete_details: null,
  instructions: null,
  model: 'gpt-5.4-mini-2026-03-17',
  output: [message('Hello there, how are you?')],
  parallel_tool_calls: true,
  service_tier: 'default',
  tool_choice: 'auto',
  tools: [],
  usage: USAGE,
};

const begun = { ...RESPONSE, status: 'in_progress', output: [], usage: null };
const place = { item_id: 'msg_1', output_index: 0, content_index: 0 };
const event = (type: string, members: object) => ({ type: `response.${type}`, ...members });
const numbered = (events: readonly object[]) =>
  events.map((one, sequence_number) => ({ ...one, sequence_number }));

const opening = [
  event('created', { response: begun }),
  event('in_progress', { response: begun }),
  event('output_item.added', { output_index: 0, item: { ...message(''), content: [] } }),
  event('content_part.added', { ...place, part: { type: 'output_text', text: '', annotations: [] } }),
];
const words = WORDS.map((delta) => event('output_text.delta', { ...place, delta, logprobs: [] }));
const text = WORDS.join('');
const chunks = numbered([
  ...opening,
  ...words,
  event('output_text.done', { ...place, text, logprobs: [] }),
  event('output_item.done', { output_index: 0, item: message(text) }),
  event('completed', { response: { ...RESPONSE, output: [message(text)] } }),
]);

const call = (index: number) => ({
  ...{ id: `fc_${index}`, type: 'function_call', status: 'completed' },
  ...{ call_id: `call_${index}`, name: 'look', arguments: '{"at":[1,"ä"]}' },
});
const thought = { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Where?' }] };
const tools = { ...RESPONSE, output: [thought, message('I look.'), call(2), call(3)] };
const toolChunks = numbered([
  event('created', { response: begun }),
  ...tools.output.flatMap((item, output_index) => [
    event('output_item.added', { output_index, item }),
    event('output_item.done', { output_index, item }),
  ]),
  event('completed', { response: tools }),
]);

const frame = (data: unknown): string => {
  const { type } = data as { type?: string };
  return type === undefined ? sse(data) : `event: ${type}\n${sse(data)}`;
};

export const RESPONSES_REPLIES: WireReplies = {
  whole: RESPONSE,
  withUsage: (input_tokens, output_tokens) => ({ ...RESPONSE, usage: { input_tokens, output_tokens } }),
  chunks,
  tools,
  toolChunks,
  frame,
  end: '',
  opening: chunks.slice(0, opening.length).map(frame).join(''),
  partialStream: chunks
    .slice(0, opening.length + 3)
    .map(frame)
    .join(''),
  refusal: (status, words) => providerError(words, errorTypeOf(status)),
  errorEvent: frame({ type: 'error', code: 'server_error', message: 'overloaded', param: null }),
  errorEventVariants: ERROR_EVENT_VARIANTS,
  withoutContent: [
    ['output that is not a list', { ...RESPONSE, output: 'none' }],
    ['a response that failed', { ...RESPONSE, status: 'failed', error: { code: 'server_error' } }],
    ['a completion of another format', { object: 'chat.completion', choices: [] }],
  ],
};
