import { GatewayError } from '@gateway/errors';
import { describe, expect, test } from '@jest/globals';
import { parseGenerateContent } from './gemini-request';

const user = (...parts: object[]) => ({ role: 'user', parts });
const model = (...parts: object[]) => ({ role: 'model', parts });
const text = (value: string) => ({ text: value });
const valid = { contents: [user(text('hi'))] };
const parse = (body: unknown, stream = false) =>
  parseGenerateContent(Buffer.from(JSON.stringify(body)), { model: 'sim/chat', stream });
const conversationOf = (fields: object) => parse({ ...valid, ...fields }).conversation();
const partsOf = (fields: object) =>
  conversationOf(fields).turns.flatMap((turn): readonly object[] => turn.parts);

function errorOf(fields: object): string {
  try {
    parse({ ...valid, ...fields }).conversation();
    return 'none';
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return `${error.code} ${error.param ?? error.detail}`;
  }
}

test('long integers in calls and their results keep their digits, in both cases of names', () => {
  const id = '12345678901234567890';
  for (const [call, result] of [
    ['functionCall', 'functionResponse'],
    ['function_call', 'function_response'],
  ]) {
    const json = `{"contents":[{"role":"model","parts":[{"${call}":{"name":"f","args":{"id":${id}}}}]},
      {"role":"user","parts":[{"${result}":{"name":"f","response":{"next":[${id}]}}}]}]}`;
    const request = parseGenerateContent(Buffer.from(json), { model: 'sim/chat', stream: false });
    const [said, answered] = request.conversation().turns.flatMap(({ parts }): readonly object[] => parts);
    expect(said).toMatchObject({ arguments: `{"id":${id}}` });
    expect(answered).toMatchObject({ parts: [{ text: `{"next":[${id}]}` }] });
  }
});

describe('a request', () => {
  test('is read with its instructions, tools, output, thinking and limits', () => {
    const declared = {
      name: 'find',
      description: 'd',
      parameters: { type: 'OBJECT', properties: { q: { type: 'STRING' } } },
    };
    const conversation = conversationOf({
      systemInstruction: { parts: [text('Be brief.')] },
      tools: [{ functionDeclarations: [declared, { name: 'go', parametersJsonSchema: { type: 'object' } }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['find'] } },
      generationConfig: {
        temperature: 0.5,
        topP: 0.9,
        topK: 40,
        maxOutputTokens: 50,
        stopSequences: ['END'],
        responseSchema: { type: 'OBJECT', properties: { a: { type: 'ARRAY', items: { type: 'NUMBER' } } } },
        thinkingConfig: { thinkingBudget: 2_000, includeThoughts: true },
      },
    });
    expect(conversation).toMatchObject({
      system: [{ text: 'Be brief.' }],
      tools: [
        {
          name: 'find',
          description: 'd',
          parameters: { type: 'object', properties: { q: { type: 'string' } } },
        },
        { name: 'go', parameters: { type: 'object' } },
      ],
      toolChoice: { kind: 'allowed', names: ['find'], required: true },
      output: { kind: 'schema', schema: { properties: { a: { type: 'array', items: { type: 'number' } } } } },
      reasoning: { budgetTokens: 2_000 },
      sampling: { temperature: 0.5, topP: 0.9, topK: 40, stop: ['END'] },
      maxOutputTokens: 50,
    });
  });

  test('may have its names in snake case, also in part, but names of the caller stay', () => {
    const conversation = conversationOf({
      system_instruction: { parts: [text('Be brief.')] },
      generation_config: { max_output_tokens: 7, thinkingConfig: { include_thoughts: true } },
      tools: [
        {
          function_declarations: [
            {
              name: 'find',
              parameters_json_schema: { type: 'object', properties: { my_name: { type: 'string' } } },
            },
          ],
        },
      ],
    });
    expect(conversation).toMatchObject({
      system: [{ text: 'Be brief.' }],
      maxOutputTokens: 7,
      reasoning: { adaptive: true },
      tools: [{ parameters: { properties: { my_name: { type: 'string' } } } }],
    });
  });

  test.each([
    [{ thinkingBudget: 0 }, { effort: 'none' }],
    [{ thinkingBudget: -1 }, { adaptive: true }],
    [{ thinkingLevel: 'HIGH' }, { effort: 'high' }],
  ])('with the thinking %j asks for %j', (thinkingConfig, reasoning) => {
    expect(conversationOf({ generationConfig: { thinkingConfig } }).reasoning).toEqual(reasoning);
  });

  test('with results without ids gives each to the first open call of its name', () => {
    const call = (name: string, q: number) => ({ functionCall: { name, args: { q } } });
    const result = (name: string, output: string) => ({ functionResponse: { name, response: { output } } });
    const parts = partsOf({
      contents: [
        user(text('hi')),
        model(call('a', 1), call('b', 2), call('a', 3)),
        user(result('b', 'two'), result('a', 'one'), result('a', 'three')),
      ],
    });
    expect(parts.slice(1)).toMatchObject([
      { id: 'call_1_0', name: 'a', arguments: '{"q":1}' },
      { id: 'call_1_1', name: 'b' },
      { id: 'call_1_2', name: 'a' },
      { callId: 'call_1_1', parts: [{ text: 'two' }] },
      { callId: 'call_1_0', parts: [{ text: 'one' }] },
      { callId: 'call_1_2', parts: [{ text: 'three' }] },
    ]);
  });

  test('keeps whether the result of a call is an error, and all members of a result', () => {
    const call = { functionCall: { id: 'x', name: 'a', args: {} } };
    const results = [{ error: 'broken' }, { rows: 2, more: false }].map((response, at) => ({
      functionResponse: { id: `x${at}`, name: 'a', response },
    }));
    expect(partsOf({ contents: [user(text('hi')), model(call), user(...results)] }).slice(2)).toMatchObject([
      { isError: true, parts: [{ text: 'broken' }] },
      { isError: false, parts: [{ text: '{"rows":2,"more":false}' }] },
    ]);
  });

  test('has the sizes of its images and PDFs', () => {
    const image = { inlineData: { mimeType: 'image/png', data: 'AAAA' } };
    const pdf = { inline_data: { mime_type: 'application/pdf', data: 'JVBERi0x' } };
    const link = { fileData: { mimeType: 'image/jpeg', fileUri: 'https://example.com/a.jpg' } };
    expect(parse({ contents: [user(image, pdf, link)] }).size).toMatchObject({
      images: 2,
      imageBytes: 4,
      pdfs: ['JVBERi0x'],
      hasMedia: false,
    });
    const audio = { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } };
    expect(parse({ contents: [user(audio)] }).size.hasMedia).toBe(true);
  });

  test('has its thinking budget as the least output', () => {
    const config = (thinkingBudget: number) => ({ generationConfig: { thinkingConfig: { thinkingBudget } } });
    expect(parse({ ...valid, ...config(2_000) }).size.thinkingBudgetTokens).toBe(2_000);
    expect(parse({ ...valid, ...config(-1) }).size.thinkingBudgetTokens).toBeUndefined();
  });

  test('may have instructions of any role', () => {
    const systemInstruction = { role: 'system', parts: [text('Be brief.')] };
    expect(conversationOf({ systemInstruction }).system).toMatchObject([{ text: 'Be brief.' }]);
  });
});

describe('a request that passes to Gemini', () => {
  const change = { upstreamModel: 'gemini', maxTokensField: 'max_tokens', maxTokens: undefined } as const;
  const passed = (body: object, maxTokens?: number) =>
    JSON.parse(
      parse({ ...valid, ...body })
        .passThroughBody({ ...change, maxTokens })
        .toString(),
    );

  test('keeps every member that Gemini knows', () => {
    const body = {
      ...valid,
      safetySettings: [{ category: 'C', threshold: 'BLOCK_NONE' }],
      labels: { a: 'b' },
    };
    expect(passed(body)).toEqual(body);
    expect(passed({ model: 'models/x' })).toEqual(valid);
  });

  test.each([
    ['generationConfig', { temperature: 1, maxOutputTokens: 100 }],
    ['generation_config', { temperature: 1, max_output_tokens: 100 }],
  ])('gets the maximum that is paid for in %s', (name, config) => {
    expect(passed({ [name]: config }, 5)).toEqual({
      ...valid,
      [name]: { temperature: 1, maxOutputTokens: 5 },
    });
  });
});

test('a stream of several candidates is refused, because it would end with the first', () => {
  const body = { ...valid, generationConfig: { candidateCount: 2 } };
  expect(parse(body).size.choices).toBe(2);
  expect(() => parse(body, true)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
});

describe('a request is refused', () => {
  const REPEATED = 'invalid_request the body has a repeated key';
  const uploaded = { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/x' };
  const file = (fileUri: string, mimeType = 'application/pdf') => ({
    contents: [user({ fileData: { fileUri, mimeType } })],
  });

  test.each<[string, object]>([
    ['missing_parameter contents', { contents: [] }],
    ['missing_parameter contents', { contents: undefined }],
    ['missing_parameter contents[0].parts', { contents: [user()] }],
    ['missing_parameter contents[0].parts', { contents: [user(text(''))] }],
    ['invalid_request contents[0].role', { contents: [{ role: 'robot', parts: [text('x')] }] }],
    ['invalid_request body: Unrecognized key: "messages"', { messages: [] }],
    ['invalid_request generationConfig.temperature', { generationConfig: { temperature: 3 } }],
    ['invalid_request tools[0].urlContext: not supported: fetched pages', { tools: [{ urlContext: {} }] }],
    ['invalid_request tools[0].googleMaps: not supported: its searches', { tools: [{ google_maps: {} }] }],
    [
      'invalid_request tools[0].googleSearchRetrieval: not supported: use googleSearch',
      { tools: [{ googleSearchRetrieval: {} }] },
    ],
    ['invalid_request tools[0].fileSearch: not supported', { tools: [{ fileSearch: {} }] }],
    [
      'invalid_request tools[0].googleSearch',
      { tools: [{ googleSearch: { searchTypes: { imageSearch: {} } } }] },
    ],
    [REPEATED, { tools: [{ google_search: {}, googleSearch: null }] }],
    [REPEATED, { contents: [user({ file_data: uploaded, fileData: null })] }],
    [REPEATED, { cached_content: 'cachedContents/1', cachedContent: '' }],
    [
      'invalid_request systemInstruction.parts: only text',
      { systemInstruction: { parts: [{ fileData: uploaded }] } },
    ],
    [
      'invalid_request contents[0].parts[0].functionResponse.parts[0].fileData',
      { contents: [user({ functionResponse: { name: 'f', parts: [{ fileData: uploaded }] } })] },
    ],
    [
      'invalid_request contents[0].parts[0]: videos',
      {
        contents: [
          user({
            functionResponse: { name: 'f', parts: [{ inlineData: { mimeType: 'video/mp4', data: '' } }] },
          }),
        ],
      },
    ],
    ['invalid_request contents: too many parts', { contents: user(...Array(20_001).fill(text('a'))) }],
    [
      'invalid_request tools[1].codeExecution: not supported: the model runs',
      { tools: [{}, { code_execution: {} }] },
    ],
    [
      'invalid_request cachedContent: cached contents are not supported',
      { cachedContent: 'cachedContents/1' },
    ],
    [
      'invalid_request generationConfig.responseModalities',
      { generationConfig: { responseModalities: ['AUDIO'] } },
    ],
    ['invalid_request candidateCount', { generationConfig: { candidateCount: 2 } }],
    [
      'invalid_request contents[0].parts[0]: videos',
      { contents: [user({ inlineData: { mimeType: 'video/mp4', data: '' } })] },
    ],
    ['invalid_request contents[0].parts[0]: videos', file('https://www.youtube.com/watch?v=x')],
    ['invalid_request contents[0].parts[0].fileData.fileUri', file('gs://bucket/file')],
    ['invalid_request contents[0].parts[0].fileData.fileUri', file('http://10.0.0.1/a')],
    [
      'invalid_request contents[0].parts[0]: uploaded files',
      file('https://generativelanguage.googleapis.com/v1beta/files/x'),
    ],
    [
      'invalid_request contents[0].parts[0]: uploaded files',
      file('https://storage.googleapis.com/bucket/file'),
    ],
    [
      'invalid_request contents[0].parts[0].functionResponse: there is no call of f before it',
      { contents: [user({ functionResponse: { name: 'f', response: {} } })] },
    ],
    [
      'invalid_request toolConfig.functionCallingConfig.allowedFunctionNames',
      { toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['g'] } } },
    ],
  ])('with %s', (expected, fields) => {
    expect(errorOf(fields)).toContain(expected);
  });
});
