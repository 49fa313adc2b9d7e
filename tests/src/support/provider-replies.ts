/** A provider's replies in its own format. Valid replies report 20 input and 8 output tokens. */
export interface WireReplies {
  readonly whole: object;
  /** The complete reply with other input and output tokens. */
  withUsage(input: unknown, output: unknown): object;
  /** Chunks of a complete stream with the text `WORDS`. */
  readonly chunks: readonly object[];
  frame(chunk: unknown): string;
  /** The end marker after the last chunk, if the format has one. */
  readonly end: string;
  /** A complete reply, and the chunks of a stream, with thinking, text and two tool calls. */
  readonly tools: object;
  readonly toolChunks: readonly object[];
  /** A stream's events before its first content. */
  readonly opening: string;
  /** A stream up to its third word. */
  readonly partialStream: string;
  refusal(status: number, message: unknown): object;
  /** An error event in a stream. */
  readonly errorEvent: string;
  /** Error events of servers that only resemble the format. */
  readonly errorEventVariants: readonly string[];
  /** Replies with status 200 but without usable content. */
  readonly withoutContent: readonly (readonly [string, object])[];
}

export const ERROR_EVENT_VARIANTS = [
  'event: error\ndata: {"message":"ours alone"}\n\n',
  'data: {"error":{"message":"ours alone"}}\n\n',
  'data: {"object":"error","message":"ours alone"}\n\n',
  'data: {"type":"error","message":"ours alone"}\n\n',
];

/** Replies in OpenAI's format, from its documentation. */
export const COMPLETION = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_795_000_000,
  model: 'gpt-5.4-mini-2026-03-17',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'Hello there, how are you?', refusal: null, annotations: [] },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: {
    prompt_tokens: 20,
    completion_tokens: 8,
    total_tokens: 28,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  },
  service_tier: 'default',
};

/** Each is one token of `o200k_base`. */
export const WORDS = [' one', ' two', ' three', ' four', ' five', ' six'];

const chunk = (fields: object) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_795_000_000,
  model: 'gpt-5.4-mini-2026-03-17',
  service_tier: 'default',
  ...fields,
});
const delta = (value: object, finish_reason: string | null = null) =>
  chunk({ choices: [{ index: 0, delta: value, logprobs: null, finish_reason }], usage: null });

export const ROLE_CHUNK = delta({ role: 'assistant', content: '', refusal: null });
export const WORD_CHUNKS = WORDS.map((content) => delta({ content }));
export const FINISH_CHUNK = delta({}, 'stop');
export const USAGE_CHUNK = chunk({ choices: [], usage: COMPLETION.usage });
export const DONE = 'data: [DONE]\n\n';

/** Thinking, text and two tool calls as DeepSeek sends them, with visible reasoning. */
const toolCall = (index: number) => ({
  index,
  id: `call_${index}`,
  type: 'function',
  function: { name: 'look', arguments: '{"at":[1,"ä"]}' },
});
export const TOOL_COMPLETION = {
  ...COMPLETION,
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'I look.',
        reasoning_content: 'Where?',
        tool_calls: [toolCall(0), toolCall(1)],
      },
      finish_reason: 'tool_calls',
    },
  ],
};
export const TOOL_CHUNKS = [
  ROLE_CHUNK,
  delta({ reasoning_content: 'Where?' }),
  delta({ content: 'I look.' }),
  delta({ tool_calls: [toolCall(0)] }),
  delta({ tool_calls: [{ ...toolCall(1), function: { name: 'look', arguments: '' } }] }),
  delta({ tool_calls: [{ index: 1, function: { arguments: '{"at":' } }] }),
  delta({ tool_calls: [{ index: 1, function: { arguments: '2}' } }] }),
  delta({}, 'tool_calls'),
  USAGE_CHUNK,
];

/** A complete stream with usage and end marker. */
export const STREAM_CHUNKS = [ROLE_CHUNK, ...WORD_CHUNKS, FINISH_CHUNK, USAGE_CHUNK];

export function sse(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

export const STREAM = `${STREAM_CHUNKS.map(sse).join('')}${DONE}`;

/** Returns an error object in OpenAI's format. */
export function providerError(message: unknown, type = 'invalid_request_error'): object {
  return { error: { message, type, param: null, code: null } };
}

/** Returns the type of OpenAI's errors with this status; undefined: of errors in the request. */
export function errorTypeOf(status: number): string | undefined {
  if (status === 429) return 'rate_limit_exceeded';
  return status >= 500 ? 'server_error' : undefined;
}

/** Returns a complete HTTP reply; strings unchanged, other values as JSON. */
export function httpReply(status: number, body: unknown, headers: Record<string, string> = {}): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const all = {
    'content-type': 'application/json',
    'content-length': `${Buffer.byteLength(text)}`,
    ...headers,
  };
  return `${replyHead(status, all)}${text}`;
}

/** Returns the headers of a reply whose body ends with the connection. */
export function streamHead(headers: Record<string, string> = {}): string {
  return replyHead(200, { 'content-type': 'text/event-stream', connection: 'close', ...headers });
}

function replyHead(status: number, headers: Record<string, string>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Status\r\n${lines.join('')}\r\n`;
}

/** Spoken replies of OpenAI; `pcm16` when they are streamed. */
const AUDIO = { id: 'audio_0123456789abcdef', expires_at: 1_795_003_600, transcript: WORDS.join('') };
const SPOKEN_USAGE = {
  ...{ prompt_tokens: 30, completion_tokens: 26, total_tokens: 56 },
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 10 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 20 },
};
export const SPOKEN_COMPLETION = {
  ...COMPLETION,
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: null,
        refusal: null,
        audio: { ...AUDIO, data: Buffer.alloc(600).toString('base64') },
      },
      finish_reason: 'stop',
    },
  ],
  usage: SPOKEN_USAGE,
};
export const SPOKEN_CHUNKS = [
  delta({ role: 'assistant', content: null, refusal: null }),
  ...WORDS.flatMap((transcript) => [
    delta({ audio: { id: AUDIO.id, transcript } }),
    delta({ audio: { id: AUDIO.id, data: Buffer.alloc(300).toString('base64') } }),
  ]),
  delta({ audio: { expires_at: AUDIO.expires_at } }),
  FINISH_CHUNK,
  chunk({ choices: [], usage: SPOKEN_USAGE }),
];
