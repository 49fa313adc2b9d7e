import {
  ApiError,
  type Content,
  FunctionCallingConfigMode,
  type GenerateContentParameters,
  type GenerateContentResponse,
  GoogleGenAI,
  Type,
} from '@google/genai';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Fixture, sim } from './server.fixture';

let simulator: Fixture;
let client: GoogleGenAI;
beforeAll(async () => {
  simulator = await Fixture.start();
  client = clientOf('k');
});
afterAll(() => simulator.stop());

// Its own use of fetch needs a global that tests run without.
const clientOf = (apiKey: string) =>
  new GoogleGenAI({ apiKey, httpOptions: { baseUrl: `${simulator.url}/gemini`, fetch } });

const WEATHER = {
  name: 'weather',
  parameters: {
    type: Type.OBJECT,
    properties: { city: { type: Type.STRING }, days: { type: Type.INTEGER, minimum: 1 } },
    required: ['city', 'days'],
  },
};

const ask = (contents: string | Content[], config: GenerateContentParameters['config'] = {}) => ({
  model: 'gemini-3-pro',
  contents,
  config,
});

async function streamed(request: GenerateContentParameters): Promise<GenerateContentResponse[]> {
  const chunks: GenerateContentResponse[] = [];
  for await (const chunk of await client.models.generateContentStream(request)) chunks.push(chunk);
  return chunks;
}

const partsOf = (chunk: GenerateContentResponse | undefined) => chunk?.candidates?.[0]?.content?.parts ?? [];

test('the client reads a reply, also as a stream', async () => {
  const plain = await client.models.generateContent(ask('hello'));
  const chunks = await streamed(ask('hello'));
  expect(plain.text).toContain('simulated reply');
  expect(chunks.map(({ text }) => text).join('')).toBe(plain.text);
  expect(plain.candidates?.[0]?.finishReason).toBe('STOP');
  expect(chunks.map(({ candidates }) => candidates?.[0]?.finishReason).filter(Boolean)).toEqual(['STOP']);
  expect(chunks.at(-1)?.usageMetadata).toEqual(plain.usageMetadata);
});

test('the client reads a function call and sends its result', async () => {
  const config = { tools: [{ functionDeclarations: [WEATHER] }] };
  const question: Content = {
    role: 'user',
    parts: [{ text: sim({ tool_call: { name: 'weather', arguments: { city: 'Oslo', days: 3 } } }) }],
  };
  const plain = await client.models.generateContent(ask([question], config));
  const chunks = await streamed(ask([question], config));
  for (const parts of [partsOf(plain), chunks.flatMap(partsOf).filter(({ functionCall }) => functionCall)]) {
    expect(parts).toMatchObject([
      { functionCall: { id: expect.any(String), name: 'weather', args: { city: 'Oslo', days: 3 } } },
    ]);
    const answer: Content = {
      role: 'user',
      parts: [
        { functionResponse: { name: 'weather', response: { sky: 'blue' } } },
        { text: sim({ text: 'Blue.' }) },
      ],
    };
    const next = await client.models.generateContent(
      ask([question, { role: 'model', parts }, answer], config),
    );
    expect(next.text).toBe('Blue.');
    const unsigned = parts.map(({ functionCall }) => ({ functionCall: functionCall ?? {} }));
    await expect(
      client.models.generateContent(ask([question, { role: 'model', parts: unsigned }, answer], config)),
    ).rejects.toMatchObject({ status: 400, message: expect.stringContaining('thought_signature') });
  }
});

test('of parallel calls the first is signed, each has an id, and their results are sent together', async () => {
  const tool_call = [{ name: 'a', arguments: { n: 1 } }, { name: 'b' }, { name: 'a', arguments: { n: 2 } }];
  const question: Content = { role: 'user', parts: [{ text: sim({ tool_call }) }] };
  const plain = partsOf(await client.models.generateContent(ask([question])));
  const chunks = (await streamed(ask([question])))
    .flatMap(partsOf)
    .filter(({ functionCall }) => functionCall);
  for (const parts of [plain, chunks]) {
    expect(
      parts.map(({ functionCall, thoughtSignature }) => [functionCall?.name, thoughtSignature !== undefined]),
    ).toEqual([
      ['a', true],
      ['b', false],
      ['a', false],
    ]);
    expect(new Set(parts.map(({ functionCall }) => functionCall?.id)).size).toBe(3);
    const answers = parts.map(({ functionCall }) => ({
      functionResponse: { id: functionCall?.id ?? '', name: functionCall?.name ?? '', response: {} },
    }));
    await client.models.generateContent(
      ask([question, { role: 'model', parts }, { role: 'user', parts: answers.toReversed() }]),
    );
  }
});

test('a forced function is called with arguments that satisfy its schema', async () => {
  const functionCallingConfig = { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ['weather'] };
  const other = { name: 'other', parametersJsonSchema: { $schema: 'x', type: 'object' } };
  const tools = [{ functionDeclarations: [other, WEATHER] }];
  const reply = await client.models.generateContent(
    ask('hi', { tools, toolConfig: { functionCallingConfig } }),
  );
  expect(reply.functionCalls).toMatchObject([{ name: 'weather', args: { city: 'text', days: 1 } }]);
});

test('thoughts are shown on request and always counted', async () => {
  const prompt = sim({ thinking: 'well well', text: 'so be it' });
  const shown = await client.models.generateContent(
    ask(prompt, { thinkingConfig: { includeThoughts: true } }),
  );
  const thoughtSignature = expect.any(String);
  expect(partsOf(shown)).toEqual([
    { text: 'well well', thought: true },
    { text: 'so be it', thoughtSignature },
  ]);
  const hidden = await client.models.generateContent(ask(prompt));
  expect(partsOf(hidden)).toEqual([{ text: 'so be it', thoughtSignature }]);
  expect(partsOf((await streamed(ask(prompt))).at(-1))).toEqual([{ text: '', thoughtSignature }]);
  const off = await client.models.generateContent(ask(prompt, { thinkingConfig: { thinkingBudget: 0 } }));
  for (const { usageMetadata } of [shown, hidden, (await streamed(ask(prompt))).at(-1) ?? hidden]) {
    expect(usageMetadata).toMatchObject({ thoughtsTokenCount: 2, candidatesTokenCount: 3 });
  }
  expect(off.usageMetadata?.thoughtsTokenCount).toBeUndefined();
});

test('the reply satisfies the requested schema', async () => {
  const responseMimeType = 'application/json';
  const responseJsonSchema = { type: 'object', properties: { a: { const: 1 } }, required: ['a'] };
  const said = async (config: object) =>
    (await client.models.generateContent(ask('hi', { responseMimeType, ...config }))).text;
  expect(await said({ responseSchema: WEATHER.parameters })).toBe('{"city":"text","days":1}');
  expect(await said({ responseJsonSchema })).toBe('{"a":1}');
  expect(await said({})).toBe('{}');
});

test("failures raise the client's own error class", async () => {
  const call = (directive: object) => client.models.generateContent(ask(sim(directive)));
  await expect(call({ status: 429 })).rejects.toBeInstanceOf(ApiError);
  await expect(call({ status: 503 })).rejects.toMatchObject({ status: 503 });
  await expect(clientOf('invalid').models.generateContent(ask('hi'))).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('API_KEY_INVALID'),
  });
  await expect(streamed(ask(sim({ stream_error: true, drop_after_chunks: 2 })))).rejects.toMatchObject({
    status: 503,
  });
});

test('the client counts tokens and lists models', async () => {
  const { totalTokens } = await client.models.countTokens({ model: 'gemini-3-pro', contents: 'hello' });
  const { usageMetadata } = await client.models.generateContent(ask('hello'));
  expect(totalTokens).toBe(usageMetadata?.promptTokenCount);
  const names: (string | undefined)[] = [];
  for await (const model of await client.models.list()) names.push(model.name);
  expect(names).toContain('models/sim-chat');
});
