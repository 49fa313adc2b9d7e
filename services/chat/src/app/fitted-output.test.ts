import { describe, expect, test } from '@jest/globals';
import type { CallerRequest } from '../domain/caller-request';
import type { ChatProvider } from '../domain/chat-provider';
import { fittedBody } from './fitted-body';
import { callThrough } from './recorded-call.fixture';
import { restorerOf } from './restorer';
import { CALLS, providerOf, receivedBy } from './upstream-request.fixture';

const CITIES = '[{"name":"Rome"}, {"name":"}"}]';
const cities = {
  type: 'array',
  items: {
    type: 'object',
    properties: { name: { type: 'string' } },
    required: ['name'],
    additionalProperties: false,
  },
};
const google = (responseSchema: object, stream = false) =>
  CALLS.generateContent(
    {
      contents: [{ role: 'user', parts: [{ text: 'Cities?' }] }],
      generationConfig: { responseMimeType: 'application/json', responseSchema },
    },
    stream,
  );
const chat = (schema: object, stream = false) =>
  CALLS.chat({
    stream,
    messages: [{ role: 'user', content: 'Cities?' }],
    response_format: { type: 'json_schema', json_schema: { name: 'cities', schema } },
  });
const messages = (schema: object, stream = false) =>
  CALLS.messages({
    stream,
    messages: [{ role: 'user', content: 'Cities?' }],
    output_config: { format: { type: 'json_schema', schema } },
  });
const responses = (schema: object, stream = false) =>
  CALLS.responses({
    stream,
    input: 'Cities?',
    text: { format: { type: 'json_schema', name: 'cities', schema } },
  });

const OPENAI = providerOf('azure-openai');
const COHERE = providerOf('cohere');
const schemaAt = (provider: ChatProvider, request: CallerRequest) => {
  const { json_schema: schema } = receivedBy(provider, request).response_format;
  return provider.wire === 'cohere' ? schema : schema.schema;
};

describe('a schema whose root is not an object', () => {
  const wrapped = (result: object) => ({
    type: 'object',
    properties: { result },
    required: ['result'],
    additionalProperties: false,
  });

  test.each([
    ['messages', messages(cities), OPENAI],
    ['responses', responses(cities), OPENAI],
    ['responses at Cohere', responses(cities), COHERE],
    ['chat at Cohere', chat(cities), COHERE],
    ['generateContent', google({ ...cities, type: 'ARRAY' }), OPENAI],
  ])('is sent as the member of an object: %s', (_, request, provider) => {
    expect(schemaAt(provider, request)).toEqual(wrapped(cities));
  });

  test('keeps its definitions at the root, and references to itself', () => {
    const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' } } };
    const schema = {
      $defs: { node },
      anyOf: [{ $ref: '#/$defs/node' }, { type: 'array', items: { $ref: '#' } }],
    };
    expect(schemaAt(OPENAI, messages(schema))).toEqual({
      ...wrapped({
        anyOf: [{ $ref: '#/$defs/node' }, { type: 'array', items: { $ref: '#/properties/result' } }],
      }),
      $defs: { node },
    });
  });

  test('is sent as it is to providers that accept it, and so is an object', () => {
    expect(receivedBy(providerOf('gemini'), responses(cities)).generationConfig.responseJsonSchema).toEqual(
      cities,
    );
    const object = { type: 'object', properties: { cities } };
    expect(schemaAt(OPENAI, messages(object))).toEqual(object);
  });
});

const usage = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 };

/** Returns what a caller receives if the provider streams this text in pieces of a length; 0: it answers with a whole reply. */
async function received(request: CallerRequest, text: string, pieceChars: number): Promise<string> {
  const chunk = (delta: object, finish_reason: string | null) =>
    `data: ${JSON.stringify({ id: 'r', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const pieces = pieceChars === 0 ? [] : (text.match(new RegExp(`.{1,${pieceChars}}`, 'gs')) ?? []);
  const body =
    pieceChars === 0
      ? JSON.stringify({
          id: 'r',
          choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
          usage,
        })
      : `${pieces.map((content) => chunk({ content }, null)).join('')}${chunk({}, 'stop')}data: [DONE]\n\n`;
  const upstream = {
    send: async () => ({
      status: 200,
      headers: {},
      body: (async function* () {
        yield Buffer.from(body);
      })(),
    }),
  };
  const { body: reply, error } = await callThrough(OPENAI, upstream as never, request);
  expect(error).toBeUndefined();
  return request.stream ? textsOf(reply!) : JSON.stringify(JSON.parse(reply!));
}

/** Returns the joined texts of a stream in Google's, Anthropic's or OpenAI's format. */
const textsOf = (stream: string): string =>
  stream
    .split('\n')
    .flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []))
    .map(
      ({ candidates, delta, choices }) =>
        candidates?.[0].content.parts.map(({ text = '' }) => text).join('') ??
        choices?.[0].delta.content ??
        delta?.text ??
        '',
    )
    .join('');

describe('the reply to it has the output alone', () => {
  const CASES = [`{"result":${CITIES}}`, `{ "result" : ${CITIES} }\n`, `\n{"result":\n${CITIES}\n}`];
  test.each([1, 3, 7, 1_000])('in streams of pieces of %d characters', async (pieceChars) => {
    for (const text of CASES) {
      expect((await received(google({ ...cities, type: 'ARRAY' }, true), text, pieceChars)).trim()).toBe(
        CITIES,
      );
      expect((await received(messages(cities, true), text, pieceChars)).trim()).toBe(CITIES);
    }
  });

  test('in whole replies', async () => {
    for (const text of CASES)
      for (const request of [messages(cities), responses(cities), google({ ...cities, type: 'ARRAY' })])
        expect(await received(request, text, 0)).toContain(JSON.stringify(CITIES).slice(1, -1));
  });

  test('unless it is something else, such as a refusal', async () => {
    for (const text of ["I can't help with that.", '{"other":1}', '{"res', '[1]'])
      for (const pieceChars of [1, 1_000])
        expect(await received(google({ ...cities, type: 'ARRAY' }, true), text, pieceChars)).toBe(text);
  });
});

describe("schemas in Google's form", () => {
  test('have numbers as bounds, types in lower case and null where it is allowed', () => {
    const parameters = {
      type: 'OBJECT',
      properties: {
        list: {
          type: 'ARRAY',
          minItems: '1',
          maxItems: '3',
          items: { type: 'STRING', minLength: '2', pattern: '1' },
        },
        size: { type: 'INTEGER', enum: ['1', '2'], minimum: 1, nullable: true },
        any: { type: 'TYPE_UNSPECIFIED', default: { minItems: '1' } },
        minItems: { type: 'STRING' },
      },
      minProperties: '1',
    };
    const declared = (fields: object) =>
      CALLS.generateContent({
        contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
        tools: [{ functionDeclarations: [{ name: 'f', ...fields }] }],
      });
    const written = {
      type: 'object',
      properties: {
        list: {
          type: 'array',
          minItems: 1,
          maxItems: 3,
          items: { type: 'string', minLength: 2, pattern: '1' },
        },
        size: { type: ['integer', 'null'], enum: [1, 2, null], minimum: 1 },
        any: { default: { minItems: '1' } },
        minItems: { type: 'string' },
      },
      minProperties: 1,
    };
    expect(receivedBy(OPENAI, declared({ parameters })).tools[0].function.parameters).toEqual(written);
    const json = { type: 'object', properties: { list: { type: 'array', minItems: '1', items: {} } } };
    expect(
      receivedBy(providerOf('anthropic'), declared({ parametersJsonSchema: json })).tools[0].input_schema
        .properties.list.minItems,
    ).toBe(1);
  });
});

/** Parameters with alternatives at their root, and what they become. */
const CHOICE = {
  anyOf: [
    { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    { type: 'object', properties: { b: { type: 'string' } } },
  ],
};
const FLAT = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } };

test.each([
  ['OpenAI', OPENAI, ['tools', 0, 'function', 'parameters']],
  ['Cohere', COHERE, ['tools', 0, 'function', 'parameters']],
  ['Anthropic', providerOf('anthropic'), ['tools', 0, 'input_schema']],
  [
    'Bedrock',
    providerOf('bedrock', { region: 'us-east-1' }),
    ['toolConfig', 'tools', 0, 'toolSpec', 'inputSchema', 'json'],
  ],
])('parameters of tools have no alternatives at their root at %s', (_, provider, path) => {
  const tools = [{ type: 'function', name: 'f', parameters: CHOICE }];
  const request = CALLS.responses({ input: 'hi', tools });
  const sent = receivedBy(provider, request);
  expect(path.reduce((inner, key) => inner[key], sent)).toEqual(FLAT);
});

test.each([
  [
    'chat',
    CALLS.chat({
      messages: [{ role: 'user', content: 'hi' }],
      tools: [{ type: 'function', function: { name: 'f', parameters: CHOICE } }],
    }),
    OPENAI,
  ],
  [
    'responses',
    CALLS.responses({ input: 'hi', tools: [{ type: 'function', name: 'f', parameters: CHOICE }] }),
    { ...OPENAI, ...OPENAI.responses!('account') },
  ],
  [
    'messages',
    CALLS.messages({
      messages: [{ role: 'user', content: 'hi' }],
      tools: [{ name: 'f', input_schema: CHOICE }],
    }),
    providerOf('anthropic'),
  ],
])('calls that pass through have none either: %s', (_, request, provider) => {
  const [tool] = receivedBy(provider, request).tools;
  expect(tool.function?.parameters ?? tool.parameters ?? tool.input_schema).toEqual(FLAT);
});

describe('a schema whose root is not an object, in a call that passes through', () => {
  const TEXT = `{"result":${CITIES}}`;
  const call = { upstreamModel: 'm', maxTokens: undefined, maxTokensField: 'max_tokens' } as const;

  test('is sent as that of an object to OpenAI, and as it is to compatible servers', () => {
    expect(schemaAt(OPENAI, chat(cities))).toMatchObject({ type: 'object', properties: { result: cities } });
    expect(schemaAt(providerOf('openai'), chat(cities))).toEqual(cities);
    const provider = { ...OPENAI, ...OPENAI.responses!('account') };
    expect(receivedBy(provider, responses(cities)).text.format.schema.properties.result).toEqual(cities);
    const object = chat({ type: 'object', properties: {} });
    expect(
      fittedBody(object.passThroughBody(call), object, OPENAI).equals(object.passThroughBody(call)),
    ).toBe(true);
  });

  test('has the output alone in the reply of chat completions, streamed in pieces or whole', async () => {
    expect(JSON.parse(await received(chat(cities), TEXT, 0)).choices[0].message.content).toBe(CITIES);
    for (const pieceChars of [1, 3, 1_000])
      expect(await received(chat(cities, true), TEXT, pieceChars)).toBe(CITIES);
    expect(await received(chat(cities, true), 'No.', 1)).toBe('No.');
  });

  test('has the output alone in every event of a response', () => {
    const restorer = restorerOf(responses(cities), { ...OPENAI, ...OPENAI.responses!('account') })!;
    const part = { type: 'output_text', text: TEXT };
    const item = { type: 'message', content: [part] };
    const response = { output: [item], text: { format: { type: 'json_schema', schema: {} } } };
    const ofItem = { item_id: 'msg_1' };
    const events = [
      ...(TEXT.match(/.{1,5}/g) ?? []).map((delta) => ({
        type: 'response.output_text.delta',
        ...ofItem,
        delta,
      })),
      { type: 'response.output_text.done', ...ofItem, text: TEXT },
      { type: 'response.content_part.done', ...ofItem, part },
      { type: 'response.output_item.done', item },
      { type: 'response.completed', response },
    ].map((event) =>
      JSON.parse(
        restorer
          .restore(Buffer.from(`data: ${JSON.stringify(event)}\n\n`))
          .toString()
          .split('data: ')[1]!,
      ),
    );
    expect(events.map(({ delta = '' }) => delta).join('')).toBe(CITIES);
    const [text, ofPart, ofOutput, whole] = events.slice(-4);
    expect([text.text, ofPart.part.text, ofOutput.item.content[0].text]).toEqual([CITIES, CITIES, CITIES]);
    expect(whole.response.output[0].content[0].text).toBe(CITIES);
    expect(whole.response.text.format.schema).toEqual(cities);
    const reply = restorer.restoreReply({ bytes: Buffer.alloc(0), value: response });
    expect(JSON.parse(reply.bytes.toString()).output[0].content[0].text).toBe(CITIES);
  });
});
