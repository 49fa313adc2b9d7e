import {
  END,
  type ExpectedReplies,
  LENGTH,
  REFUSAL,
  TOOL_CALLS,
  text,
  thinking,
  toolUse,
} from '../recorded-replies.fixture';

const THOUGHT = 'Two and two make four.';

/**
 * Recordings are named after their provider; `compatible`: variants of the format elsewhere. They follow the documented shapes
 * (sources: `quirks.ts`); texts and figures are ours.
 */
export const expectedOpenAi: ExpectedReplies = {
  'openai-text.json': {
    title: "reads OpenAI's plain reply as recorded",
    provider: 'openai',
    content: [text('Paris is the capital of France.')],
    finish: END,
    usage: { input: 14, output: 8 },
  },
  'openai-text.sse': {
    title: "reads OpenAI's stream as recorded: its usage chunk has no choices",
    provider: 'openai',
    content: [text('Paris is the capital of France – naturellement.')],
    finish: END,
    usage: { input: 14, output: 11 },
  },
  'openai-cached.json': {
    title: "charges OpenAI's cached tokens as recorded: reads and writes are part of the prompt",
    provider: 'openai',
    content: [text('Yes.')],
    finish: END,
    usage: { input: 100, cacheRead: 1_920, cacheWrite: 128, output: 3 },
  },
  'openai-reasoning.sse': {
    title: "charges OpenAI's hidden reasoning as recorded: it is part of the completion",
    provider: 'openai',
    content: [text('There are 12 of them.')],
    finish: END,
    usage: { input: 31, output: 138, reasoning: 128 },
  },
  'openai-tool-call.json': {
    title: "reads OpenAI's tool call as recorded",
    provider: 'openai',
    content: [toolUse('call_Aa11Bb22Cc33Dd44Ee55Ff66', 'get_weather', { city: 'Zürich', days: 3 })],
    finish: TOOL_CALLS,
    usage: { input: 82, output: 21 },
  },
  'openai-tool-calls.sse': {
    title: "reads OpenAI's streamed tool calls as recorded: the pieces of each call have its index",
    provider: 'openai',
    content: [
      toolUse('call_Aa11Bb22Cc33Dd44Ee55Ff66', 'get_weather', { city: 'Zürich' }),
      toolUse('call_Gg77Hh88Ii99Jj00Kk11Ll22', 'get_time', { zone: 'CET' }),
    ],
    finish: TOOL_CALLS,
    usage: { input: 95, output: 44 },
  },
  'openai-refusal.json': {
    title: "reads OpenAI's refusal as recorded: it finishes with stop",
    provider: 'openai',
    content: [text('I can’t help with that.')],
    finish: { ...REFUSAL, openai: 'stop' },
    usage: { input: 40, output: 9 },
  },
  'openai-content-filter.sse': {
    title: "reads OpenAI's filtered stream as recorded: the text before the filter is charged",
    provider: 'openai',
    content: [text('The first step')],
    finish: REFUSAL,
    usage: { input: 25, output: 4 },
  },
  'openai-max-tokens.sse': {
    title: "reads OpenAI's stream that reaches its maximum output as recorded",
    provider: 'openai',
    content: [text('Once upon a')],
    finish: LENGTH,
    usage: { input: 12, output: 3 },
  },
  'openai-error-context-length.json': {
    title: "reports OpenAI's refusal of a long prompt as recorded: the client receives the reason",
    provider: 'openai',
    httpStatus: 400,
    error: {
      code: 'invalid_request',
      status: 400,
      detail:
        "This model's maximum context length is 400000 tokens. However, your messages resulted in 412345 tokens. Please reduce the length of the messages.",
    },
  },
  'openai-error-rate-limit.json': {
    title: "reports OpenAI's rate limit as recorded: the message about our organization is not shown",
    provider: 'openai',
    httpStatus: 429,
    error: { code: 'rate_limited', status: 429, retryAfterSeconds: 1 },
  },
  'openai-error-quota.json': {
    title: "reports OpenAI's exhausted quota as recorded: a 429 for which waiting does not help",
    provider: 'openai',
    httpStatus: 429,
    error: { code: 'upstream_unavailable', status: 502 },
  },
  'openai-error-event.sse': {
    title: "ends OpenAI's stream at its error event as recorded: the text before it is counted and charged",
    provider: 'openai',
    content: [text('Half of the answer')],
    usage: { input: 8, output: 4 },
    isCounted: true,
    error: { code: 'upstream_failed', status: 200 },
  },
  'openai-cut.sse': {
    title: "ends OpenAI's cut stream with an error as recorded: the cut event is neither shown nor charged",
    provider: 'openai',
    content: [text('One two three four five')],
    usage: { input: 8, output: 5 },
    isCounted: true,
    error: { code: 'upstream_failed', status: 200 },
  },

  'deepseek-cached.json': {
    title: "charges DeepSeek's cached tokens as recorded: prompt_cache_hit_tokens is part of the prompt",
    provider: 'deepseek',
    content: [text('The same as before.')],
    finish: END,
    usage: { input: 18, cacheRead: 320, output: 7 },
  },
  'deepseek-thinking.json': {
    title: "reads DeepSeek's reply with thinking as recorded",
    provider: 'deepseek',
    content: [thinking(THOUGHT), text('Four.')],
    finish: END,
    usage: { input: 16, output: 18, reasoning: 14 },
  },
  'deepseek-thinking.sse': {
    title: "reads DeepSeek's stream with thinking as recorded: after comments, with usage in the last chunk",
    provider: 'deepseek',
    content: [thinking(THOUGHT), text('Four.')],
    finish: END,
    usage: { input: 16, cacheRead: 64, output: 18, reasoning: 14 },
  },
  'deepseek-tool-call.sse': {
    title: "reads DeepSeek's streamed tool call as recorded: after thinking",
    provider: 'deepseek',
    content: [
      thinking('I need the weather.'),
      toolUse('call_00_aB3dE5fG7hJ9kL1mN3pQ5rS7', 'get_weather', { city: 'Bern' }),
    ],
    finish: TOOL_CALLS,
    usage: { input: 82, cacheRead: 128, output: 40, reasoning: 12 },
  },
  'deepseek-error-balance.json': {
    title: "reports DeepSeek's empty balance as recorded: as an unavailable provider",
    provider: 'deepseek',
    httpStatus: 402,
    error: { code: 'upstream_unavailable', status: 502 },
  },
  'deepseek-overloaded.sse': {
    title: "reports DeepSeek's stream without content as recorded: insufficient_system_resource is a failure",
    provider: 'deepseek',
    error: { code: 'upstream_failed', status: 502 },
  },

  'mistral-cached.sse': {
    title: "charges Mistral's cached tokens as recorded: num_cached_tokens is part of the prompt",
    provider: 'mistral',
    content: [text('Bonjour.')],
    finish: END,
    usage: { input: 36, cacheRead: 64, output: 4 },
  },
  'mistral-thinking.json': {
    title: "reads Mistral's reply with thinking as recorded: content is a list of parts",
    provider: 'mistral',
    content: [thinking(THOUGHT), text('Four.')],
    finish: END,
    usage: { input: 22, output: 19 },
  },
  'mistral-thinking.sse': {
    title: "reads Mistral's stream with thinking as recorded: content is a list of parts, then a string",
    provider: 'mistral',
    content: [thinking(THOUGHT), text('Four.')],
    finish: END,
    usage: { input: 22, output: 19 },
  },
  'mistral-tool-call.json': {
    title: "reads Mistral's tool call as recorded: it has no type",
    provider: 'mistral',
    content: [toolUse('a1B2c3D4e', 'get_weather', { city: 'Lyon' })],
    finish: TOOL_CALLS,
    usage: { input: 75, output: 14 },
  },
  'mistral-tool-calls.sse': {
    title: "reads Mistral's streamed tool calls as recorded: complete in one chunk, without index and type",
    provider: 'mistral',
    content: [toolUse('a1B2c3D4e', 'get_weather', { city: 'Lyon' }), toolUse('f5G6h7I8j', 'get_time', {})],
    finish: TOOL_CALLS,
    usage: { input: 80, output: 27 },
  },
  'mistral-context-full.json': {
    title: "reads Mistral's reply that fills the context as recorded",
    provider: 'mistral',
    content: [text('To be')],
    finish: { openai: 'model_length', anthropic: 'model_context_window_exceeded' },
    usage: { input: 131_070, output: 2 },
  },
  'mistral-error-field.json': {
    title: "reports Mistral's refusal of a field as recorded: the client receives its path, not its value",
    provider: 'mistral',
    httpStatus: 422,
    error: { code: 'invalid_request', status: 400, detail: 'verbosity: Extra inputs are not permitted' },
  },

  'xai-reasoning.json': {
    title: "charges xAI's reasoning as recorded: in addition to the completion",
    provider: 'xai',
    content: [thinking(THOUGHT), text('Four.')],
    finish: END,
    usage: { input: 8, cacheRead: 32, output: 92, reasoning: 90 },
  },
  'xai-reasoning.sse': {
    title: "charges the reasoning of xAI's stream as recorded: in addition to the completion",
    provider: 'xai',
    content: [thinking(THOUGHT), text('Four.')],
    finish: END,
    usage: { input: 8, cacheRead: 32, output: 92, reasoning: 90 },
  },
  'xai-tool-call.sse': {
    title: "reads xAI's streamed tool call as recorded: complete in one chunk",
    provider: 'xai',
    content: [toolUse('call_55667788', 'get_weather', { city: 'Oslo' })],
    finish: TOOL_CALLS,
    usage: { input: 120, output: 79, reasoning: 60 },
  },
  'xai-error-key.json': {
    title: "reports xAI's refusal of our key as recorded: its 400 does not blame the client",
    provider: 'xai',
    httpStatus: 400,
    error: { code: 'upstream_unavailable', status: 502 },
  },

  'compatible-azure-filters.sse': {
    title: 'reads a stream with chunks for content filters as recorded: without choices, and without a delta',
    provider: 'sim',
    content: [text('Hello there.')],
    finish: END,
    usage: { input: 18, output: 4 },
  },
  'compatible-reasoning-details.sse': {
    title: 'reads a stream with reasoning_details as recorded: the thinking once, with its signature',
    provider: 'sim',
    content: [thinking(THOUGHT, 'gw1.openai.c2lnbmVk'), text('Four.')],
    finish: END,
    usage: { input: 11, output: 20, reasoning: 15 },
  },
  'compatible-running-usage.sse': {
    title: 'charges a stream with a running total in every chunk as recorded: only the last counts',
    provider: 'sim',
    content: [text('One two three')],
    finish: END,
    usage: { input: 9, output: 3 },
  },
  'compatible-no-usage.json': {
    title: 'charges a reply without usage as recorded: by the count of its text',
    provider: 'sim',
    content: [text('One two three')],
    finish: END,
    usage: { input: 8, output: 3 },
    isCounted: true,
  },
};
