import { listOf, membersOf, textOf } from '@gateway/upstream';
import { describe, expect, test } from '@jest/globals';
import { CALLS, providerOf, receivedBy } from './upstream-request.fixture';

const TEXTS = ['One.', '\n\n', 'Two', ' ', 'three'];
const WHOLE = 'One.\n\nTwo three';
const parts = TEXTS.map((text) => ({ type: 'text', text }));

/** Returns all texts of a message, in any provider's form. */
function saidIn(message: unknown): string {
  if (typeof message === 'string') return message;
  if (Array.isArray(message)) return message.map(saidIn).join('');
  const { text, content, parts: inner } = membersOf(message);
  return textOf(text) + saidIn(content ?? inner ?? '');
}

const PROVIDERS = [
  ['openai', {}],
  ['openai', { quirks: { string_content: true } }],
  ['mistral', {}],
  ['deepseek', {}],
  ['azure-openai', {}],
  ['xai', {}],
  ['cohere', {}],
  ['anthropic', {}],
  ['gemini', {}],
  ['bedrock', { region: 'us-east-1' }],
] as const;

describe.each(PROVIDERS)('white space between texts reaches %s %j', (kind, options) => {
  const provider = providerOf(kind, options);

  test('in turns of the user and of the assistant', () => {
    const typed = (type: string) => TEXTS.map((text) => ({ type, text }));
    for (const request of [
      CALLS.chat({
        messages: [
          { role: 'user', content: parts },
          { role: 'assistant', content: parts },
          { role: 'user', content: 'go on' },
        ],
      }),
      CALLS.responses({
        input: [
          { role: 'user', content: typed('input_text') },
          { role: 'assistant', content: typed('output_text') },
          { role: 'user', content: 'go on' },
        ],
      }),
      CALLS.messages({
        messages: [
          { role: 'user', content: parts },
          { role: 'assistant', content: parts },
          { role: 'user', content: 'go on' },
        ],
      }),
      CALLS.generateContent({
        contents: ['user', 'model']
          .map((role) => ({ role, parts: TEXTS.map((text) => ({ text })) }))
          .concat({ role: 'user', parts: [{ text: 'go on' }] }),
      }),
    ]) {
      // What has the provider's own format passes through.
      if (request.wire === provider.wire) continue;
      const { messages, contents } = receivedBy(provider, request);
      expect([request.wire, ...listOf(messages ?? contents).map(saidIn)]).toEqual([
        request.wire,
        WHOLE,
        WHOLE,
        'go on',
      ]);
    }
  });

  test('in instructions and results of tools', () => {
    const tools = [{ name: 'f', input_schema: { type: 'object' } }];
    const use = { type: 'tool_use', id: 'c', name: 'f', input: {} };
    const result = { type: 'tool_result', tool_use_id: 'c', content: parts };
    const request = CALLS.messages({
      system: parts,
      tools,
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: [use] },
        { role: 'user', content: [result] },
      ],
    });
    if (request.wire === provider.wire) return;
    expect(
      JSON.stringify(receivedBy(provider, request))
        .replaceAll(/"\},\{("type":"text",)?"text":"/g, '')
        .split(JSON.stringify(WHOLE).slice(1, -1)),
    ).toHaveLength(3);
  });
});

test('white space without a text beside it is left out for Claude, with its cache point kept on a text', () => {
  const cache_control = { type: 'ephemeral' };
  const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
  const content = [
    { type: 'text', text: ' ' },
    image,
    { type: 'text', text: '\n' },
    { type: 'text', text: 'a' },
    { type: 'text', text: ' ', cache_control },
  ];
  const { messages } = receivedBy(
    providerOf('anthropic'),
    CALLS.chat({
      messages: [
        { role: 'user', content },
        { role: 'user', content: ' ' },
      ],
    }),
  );
  expect(messages).toEqual([
    {
      role: 'user',
      content: [expect.objectContaining({ type: 'image' }), { type: 'text', text: '\na  ', cache_control }],
    },
  ]);
});
