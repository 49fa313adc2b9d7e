import { describe, expect, test } from '@jest/globals';
import type { CallerRequest } from '../domain/caller-request';
import { fittedBody } from './fitted-body';
import { CALLS, providerOf, receivedBy } from './upstream-request.fixture';

const bytes = (...values: (number | string)[]) =>
  Buffer.concat(
    values.map((value) => (typeof value === 'string' ? Buffer.from(value, 'latin1') : Buffer.from([value]))),
  ).toString('base64');
const REST = 'x'.repeat(100);
const PNG = bytes(0x89, 'PNG\r\n', 0x1a, '\n', REST);
const IMAGES = [
  ['image/png', PNG],
  ['image/jpeg', bytes(0xff, 0xd8, 0xff, 0xe0, REST)],
  ['image/gif', bytes('GIF89a', REST)],
  ['image/webp', bytes('RIFF', 1, 2, 3, 4, 'WEBPVP8 ', REST)],
] as const;
const broken = (data: string) => (data.match(/.{1,76}/g) ?? []).join('\r\n');

const CALLERS: Readonly<Record<string, (type: string, data: string) => CallerRequest>> = {
  chat: (type, data) =>
    CALLS.chat({
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: { url: `data:${type};base64,${data}` } }] },
      ],
    }),
  responses: (type, data) =>
    CALLS.responses({
      input: [{ role: 'user', content: [{ type: 'input_image', image_url: `data:${type};base64,${data}` }] }],
    }),
  messages: (type, data) =>
    CALLS.messages({
      messages: [
        { role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: type, data } }] },
      ],
    }),
  generateContent: (type, data) =>
    CALLS.generateContent({
      contents: [{ role: 'user', parts: [{ inlineData: { mimeType: type, data } }] }],
    }),
};

/** As its provider has it. */
type Body = ReturnType<typeof receivedBy>;

/** The type and the data of the picture that a provider receives. */
const sentTo = {
  anthropic: (body: Body) => [
    body.messages[0].content[0].source.media_type,
    body.messages[0].content[0].source.data,
  ],
  openai: (body: Body) =>
    /^data:(.*);base64,(.*)$/s.exec(body.messages[0].content[0].image_url.url)?.slice(1),
  responses: (body: Body) => /^data:(.*);base64,(.*)$/s.exec(body.input[0].content[0].image_url)?.slice(1),
  gemini: (body: Body) => [
    body.contents[0].parts[0].inlineData.mimeType,
    body.contents[0].parts[0].inlineData.data,
  ],
  bedrock: (body: Body) => [
    `image/${body.messages[0].content[0].image.format}`,
    body.messages[0].content[0].image.source.bytes,
  ],
};
const azure = providerOf('azure-openai');
const PROVIDERS = [
  providerOf('anthropic'),
  azure,
  { ...azure, ...azure.responses!('account') },
  providerOf('mistral'),
  providerOf('gemini'),
  providerOf('bedrock', { region: 'us-east-1' }),
];

describe.each(Object.entries(CALLERS))('images reach each provider as what they are: %s', (_, call) => {
  test.each(IMAGES)('%s', (type, data) => {
    for (const given of ['image/png', 'image/jpeg', 'image/webp'])
      for (const provider of PROVIDERS) {
        // GIF is no type of Gemini's.
        if (provider.wire === 'gemini' && type === 'image/gif') continue;
        const request = call(given, broken(data));
        if (provider.wire === 'responses' && request.wire !== 'responses') continue;
        const read = sentTo[provider.wire as keyof typeof sentTo];
        expect([provider.id, ...(read(receivedBy(provider, request)) ?? [])]).toEqual([
          provider.id,
          type,
          data,
        ]);
      }
  });
});

test('results of tools and audio are sent as what they are too', () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: PNG } };
  const result = { type: 'tool_result', tool_use_id: 'c', content: [image] };
  const use = { type: 'tool_use', id: 'c', name: 'f', input: {} };
  const request = CALLS.messages({
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: [use] },
      { role: 'user', content: [result] },
    ],
  });
  expect(
    receivedBy(providerOf('anthropic'), request).messages[2].content[0].content[0].source.media_type,
  ).toBe('image/png');
  const audio = { type: 'input_audio', input_audio: { format: 'wav', data: bytes('ID3', REST) } };
  const spoken = CALLS.chat({ messages: [{ role: 'user', content: [audio] }] });
  expect(receivedBy(azure, spoken).messages[0].content[0].input_audio.format).toBe('mp3');
  expect(receivedBy(providerOf('gemini'), spoken).contents[0].parts[0].inlineData.mimeType).toBe('audio/mp3');
});

test('bytes of an unknown type keep the type that they were given, and a PDF is not sent as a picture', () => {
  for (const data of [bytes(REST), bytes('%PDF-1.7', REST)]) {
    const { source } = receivedBy(providerOf('anthropic'), CALLERS.chat!('image/png', data)).messages[0]
      .content[0];
    expect(source.media_type).toBe('image/png');
  }
});

test.each(Object.entries(CALLERS))(
  'a call that passes through with the right type keeps its bytes: %s',
  (_, call) => {
    const request = call('image/png', PNG);
    const provider = { ...PROVIDERS.find(({ wire }) => wire === request.wire)! };
    const body = request.passThroughBody({
      upstreamModel: 'm',
      maxTokens: undefined,
      maxTokensField: 'max_tokens',
    });
    expect(fittedBody(body, request, provider)).toBe(body);
  },
);
