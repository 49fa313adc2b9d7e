import { describe, expect, test } from '@jest/globals';
import type { CallerRequest } from '../domain/caller-request';
import { tagSignature } from '../domain/signature-tag';
import { writeForeign } from '../formats/gemini/thought-signature';
import { writeEncrypted } from '../formats/responses/encrypted-content';
import { parseResponsesRequest } from '../formats/responses/responses-request';
import { CALLS, providerOf, receivedBy } from './upstream-request.fixture';

const THINKER = ['reasoning', 'adaptive_thinking'];
const THOUGHT = 'The weather needs the tool.';
const CALL = { type: 'function', id: 'call_1', function: { name: 'weather', arguments: '{"at":"Rome"}' } };
const USER = { role: 'user', content: 'Rome?' };
const chatResult = { role: 'tool', tool_call_id: 'call_1', content: 'sunny' };
const call = { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"at":"Rome"}' };
const result = { type: 'function_call_output', call_id: 'call_1', output: 'sunny' };
const reasoning = { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: THOUGHT }] };
const shown = {
  type: 'reasoning',
  id: 'rs_1',
  summary: [],
  content: [{ type: 'reasoning_text', text: THOUGHT }],
};
const thinking = {
  type: 'thinking',
  thinking: THOUGHT,
  signature: tagSignature({ wire: 'openai', value: '' }),
};
const toolUse = { type: 'tool_use', id: 'call_1', name: 'weather', input: { at: 'Rome' } };
const toolResult = { type: 'tool_result', tool_use_id: 'call_1', content: 'sunny' };
const functionCall = { id: 'call_1', name: 'weather', args: { at: 'Rome' } };
const functionResponse = { id: 'call_1', name: 'weather', response: { output: 'sunny' } };

const parameters = { type: 'object', properties: {} };
/** The tool, in the format of each caller. */
const TOOLS = {
  chat: [{ type: 'function', function: { name: 'weather', parameters } }],
  responses: [{ type: 'function', name: 'weather', parameters }],
  messages: [{ name: 'weather', input_schema: parameters }],
  generateContent: [{ functionDeclarations: [{ name: 'weather', parametersJsonSchema: parameters }] }],
};
const ASSISTANT = { role: 'assistant', content: '' };

/** The same conversation, as callers of each format may send it back. */
const HISTORIES: readonly (readonly [string, CallerRequest])[] = [
  [
    'chat, in the turn of the call',
    CALLS.chat({
      tools: TOOLS.chat,
      messages: [USER, { ...ASSISTANT, reasoning_content: THOUGHT, tool_calls: [CALL] }, chatResult],
    }),
  ],
  [
    'chat, as a message before the call',
    CALLS.chat({
      tools: TOOLS.chat,
      messages: [
        USER,
        { ...ASSISTANT, reasoning: THOUGHT },
        { ...ASSISTANT, content: null, tool_calls: [CALL] },
        chatResult,
      ],
    }),
  ],
  [
    'chat, in reasoning_details only',
    CALLS.chat({
      tools: TOOLS.chat,
      messages: [
        USER,
        { ...ASSISTANT, reasoning_details: [{ type: 'reasoning.text', text: THOUGHT }], tool_calls: [CALL] },
        chatResult,
      ],
    }),
  ],
  [
    'responses, before the call',
    CALLS.responses({ tools: TOOLS.responses, input: [USER, reasoning, call, result] }),
  ],
  [
    'responses, after the call',
    CALLS.responses({ tools: TOOLS.responses, input: [USER, call, reasoning, result] }),
  ],
  [
    'responses, in the content of the item',
    CALLS.responses({ tools: TOOLS.responses, input: [USER, shown, call, result] }),
  ],
  [
    'responses, before a message and the call',
    CALLS.responses({
      tools: TOOLS.responses,
      input: [USER, reasoning, { role: 'assistant', content: '' }, call, result],
    }),
  ],
  ['a stored response', continued([USER, reasoning, call], [result])],
  ['a stored response whose call came in another one', continued([USER, reasoning], [call, result])],
  [
    'messages',
    CALLS.messages({
      tools: TOOLS.messages,
      messages: [
        USER,
        { role: 'assistant', content: [thinking, toolUse] },
        { role: 'user', content: [toolResult] },
      ],
    }),
  ],
  [
    'messages, in turns of their own',
    CALLS.messages({
      tools: TOOLS.messages,
      messages: [
        USER,
        { role: 'assistant', content: [thinking] },
        { role: 'assistant', content: [toolUse] },
        { role: 'user', content: [toolResult] },
      ],
    }),
  ],
  ['generateContent, as a thought', google([{ text: THOUGHT, thought: true }, { functionCall }])],
  [
    'generateContent, in the signature of the call',
    google([
      {
        functionCall,
        thoughtSignature: writeForeign([
          { kind: 'thinking', text: THOUGHT, signature: { wire: 'openai', value: '' } },
        ]),
      },
    ]),
  ],
  ['generateContent, in turns of their own', google([{ text: THOUGHT, thought: true }], [{ functionCall }])],
];

function continued(stored: readonly object[], input: readonly object[]): CallerRequest {
  const body = {
    model: 'a/b',
    previous_response_id: `resp_${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}`,
    input,
    tools: TOOLS.responses,
  };
  const request = parseResponsesRequest(Buffer.from(JSON.stringify(body)), { canStore: true });
  return request.withItems({ conversation: stored, byId: new Map() });
}

function google(...turns: object[][]): CallerRequest {
  return CALLS.generateContent({
    tools: TOOLS.generateContent,
    contents: [
      { role: 'user', parts: [{ text: 'Rome?' }] },
      ...turns.map((parts) => ({ role: 'model', parts })),
      { role: 'user', parts: [{ functionResponse }] },
    ],
  });
}

const compatible = (reasoning_replay: string) => providerOf('openai', { quirks: { reasoning_replay } });

describe.each(HISTORIES)('thinking that a caller sends back reaches its provider: %s', (_, request) => {
  test.each([
    ['DeepSeek', providerOf('deepseek'), { reasoning_content: THOUGHT }],
    ['Moonshot', providerOf('openai', { preset: 'moonshotai' }), { reasoning_content: THOUGHT }],
    ...[
      'baseten',
      'deepinfra',
      'fireworks-ai',
      'huggingface',
      'nebius',
      'novita-ai',
      'nvidia',
      'togetherai',
      'zai',
    ].map((preset) => [preset, providerOf('openai', { preset }), { reasoning_content: THOUGHT }] as const),
    ['LocalAI', providerOf('openai', { preset: 'localai' }), { reasoning: THOUGHT }],
    ['Groq', providerOf('openai', { preset: 'groq' }), { reasoning: THOUGHT }],
    ['Cerebras', providerOf('openai', { preset: 'cerebras' }), { reasoning: THOUGHT }],
    ['a server that reads tags', compatible('think_tags'), { content: `<think>${THOUGHT}</think>` }],
    [
      'Mistral',
      providerOf('mistral'),
      { content: [{ type: 'thinking', thinking: [{ type: 'text', text: THOUGHT }] }] },
    ],
    ['Cohere', providerOf('cohere'), { content: [{ type: 'thinking', thinking: THOUGHT }] }],
  ])('%s', (_name, provider, thought) => {
    const { messages } = receivedBy(provider, request, THINKER);
    expect(messages).toHaveLength(3);
    expect(messages[1]).toMatchObject({ role: 'assistant', ...thought });
    expect(messages[1].tool_calls[0].function).toEqual(CALL.function);
    expect(messages[2]).toMatchObject({ role: 'tool', content: 'sunny' });
  });
});

describe('signed thinking that a caller sends back before the turn of its call', () => {
  const signature = { wire: 'anthropic', value: 'S1' } as const;
  const encrypted = { ...reasoning, encrypted_content: writeEncrypted({ of: 'thinking', signature }) };
  const details = [{ type: 'reasoning.text', text: THOUGHT, signature: tagSignature(signature) }];
  const foreign = writeForeign([{ kind: 'thinking', text: THOUGHT, signature }]);
  const turnOf = (...content: object[]) => ({ role: 'assistant', content });
  test.each([
    [
      'chat',
      CALLS.chat({
        tools: TOOLS.chat,
        messages: [
          USER,
          { ...ASSISTANT, reasoning_details: details },
          { ...ASSISTANT, tool_calls: [CALL] },
          chatResult,
        ],
      }),
    ],
    ['responses', CALLS.responses({ tools: TOOLS.responses, input: [USER, encrypted, call, result] })],
    [
      'responses, after the call',
      CALLS.responses({ tools: TOOLS.responses, input: [USER, call, encrypted, result] }),
    ],
    ['a stored response', continued([USER, encrypted], [call, result])],
    [
      'messages',
      CALLS.messages({
        tools: TOOLS.messages,
        messages: [
          USER,
          turnOf({ ...thinking, signature: 'S1' }),
          turnOf(toolUse),
          { role: 'user', content: [toolResult] },
        ],
      }),
    ],
    ['generateContent', google([{ text: '', thoughtSignature: foreign }], [{ functionCall }])],
  ])('reaches Claude on Anthropic and on Bedrock: %s', (caller, request) => {
    const capabilities = ['adaptive_thinking'];
    const thought = { type: 'thinking', thinking: THOUGHT, signature: 'S1' };
    // A call of Anthropic's format passes through, so the turns stay two.
    if (caller !== 'messages')
      expect(receivedBy(providerOf('anthropic'), request, capabilities).messages[1].content).toMatchObject([
        thought,
        { type: 'tool_use' },
      ]);
    const bedrock = providerOf('bedrock', { region: 'us-east-1' });
    const sent = receivedBy(bedrock, request, capabilities, 'anthropic.claude-sonnet-4-6-v1:0');
    const reasoningText = { text: THOUGHT, signature: 'S1' };
    expect(sent.messages[1].content).toMatchObject([
      { reasoningContent: { reasoningText } },
      { toolUse: { name: 'weather' } },
    ]);
  });

  test('of another provider does not separate the results of parallel calls at Gemini', () => {
    const second = { ...call, call_id: 'call_2' };
    const request = CALLS.responses({
      tools: TOOLS.responses,
      input: [USER, call, second, result, reasoning, { ...result, call_id: 'call_2' }],
    });
    const { contents } = receivedBy(providerOf('gemini'), request, [], 'gemini-3-pro');
    expect(contents[2].parts).toHaveLength(2);
  });
});

describe('reasoning items that pass through to a Responses API', () => {
  const itemsAt = (quirks: object) => {
    const provider = providerOf('openai', { quirks: { responses: true, ...quirks } });
    const { responses } = provider;
    return receivedBy(
      { ...provider, ...responses?.('account') },
      CALLS.responses({ tools: TOOLS.responses, input: [USER, shown, reasoning, call, result] }),
      THINKER,
    ).input;
  };

  test('are sent with the text that they show to a server that reads earlier thinking', () => {
    expect(itemsAt({ reasoning_replay: 'reasoning' })).toEqual([USER, shown, call, result]);
  });

  test('are left out for others', () => expect(itemsAt({})).toEqual([USER, call, result]));
});
