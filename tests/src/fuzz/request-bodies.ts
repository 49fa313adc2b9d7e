import { silentWav } from '../support/audio-files';

/** Valid bodies of both formats without their model, from minimal to one with most fields. */
const text = { role: 'user', content: 'hi' };
const parameters = { type: 'object', properties: { at: { type: 'integer' } }, required: ['at'] };
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const COMPLETION_REQUESTS = [
  { messages: [text], max_tokens: 5 },
  {
    messages: [{ role: 'system', content: 'Be brief.' }, text],
    stream: true,
    stream_options: { include_usage: true },
    max_completion_tokens: 5,
  },
  {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'Where?',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'a cat' },
    ],
    tools: [{ type: 'function', function: { name: 'look', parameters } }],
    tool_choice: 'auto',
    n: 1,
    stop: ['x'],
    seed: 1,
    response_format: { type: 'text' },
    temperature: 0.5,
    top_p: 1,
    max_tokens: 5,
    metadata: { a: 'b' },
    user: 'u',
  },
  {
    messages: [{ role: 'developer', content: 'As JSON.' }, text],
    n: 2,
    logit_bias: { 5: 1 },
    reasoning_effort: 'low',
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'place', schema: parameters, strict: true },
    },
    max_tokens: 2_000,
  },
];

/** For a model that hears and speaks. */
export const AUDIO_REQUESTS = [
  {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'input_audio', input_audio: { data: silentWav(0.1), format: 'wav' } },
        ],
      },
    ],
    modalities: ['text', 'audio'],
    audio: { voice: 'alloy', format: 'pcm16' },
    stream: true,
    max_tokens: 5,
  },
  {
    messages: [text, { role: 'assistant', audio: { id: 'audio_1.AAAAAAAAAAAAAAAAAAAAAA' } }, text],
    modalities: ['text', 'audio'],
    audio: { voice: { id: 'voice_1' }, format: 'mp3' },
    n: 2,
    max_completion_tokens: 5,
  },
];

export const MESSAGE_REQUESTS: readonly Record<string, unknown>[] = [
  { messages: [text], max_tokens: 5 },
  {
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    messages: [text, { role: 'assistant', content: 'Hello' }, text],
    stream: true,
    stop_sequences: ['x'],
    temperature: 0.5,
    metadata: { user_id: 'u' },
    max_tokens: 5,
  },
  {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
          {
            type: 'document',
            source: { type: 'text', media_type: 'text/plain', data: 'A cat.' },
            title: 't',
          },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Where?', signature: 'gw1.openai.' },
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 1 } },
          { type: 'tool_use', id: 'toolu_2', name: 'look', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_2', content: [{ type: 'text', text: 'a cat' }] },
          { type: 'tool_result', tool_use_id: 'toolu_1', content: 'none', is_error: true },
          { type: 'text', text: 'And now?' },
        ],
      },
    ],
    tools: [{ name: 'look', description: 'Looks.', input_schema: parameters }],
    tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    thinking: { type: 'enabled', budget_tokens: 1_024 },
    max_tokens: 2_000,
  },
  {
    system: 'As JSON.',
    messages: [text],
    output_config: { effort: 'low', format: { type: 'json_schema', schema: parameters } },
    context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
    max_tokens: 2_000,
    stream: true,
  },
];
