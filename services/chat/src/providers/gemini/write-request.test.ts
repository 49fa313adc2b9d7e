import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Conversation, Tool, Turn, UserPart } from '../../domain/conversation';
import { answeringConversation, conversationOf } from './conversation.fixture';
import { brokenRules, type SentRequest } from './request-rules.fixture';
import { writeGeminiRequest } from './write-request';

const THINKING = new Set(['reasoning']);
const GEMINI_3 = 'gemini-3.1-pro-preview';
const GEMINI_2 = 'gemini-2.5-flash';
/** Takes no sampling, and continues no turn of its own. */
const NEWEST = 'gemini-3.8-flash';

function sent(fields: Partial<Conversation>, model = GEMINI_3): SentRequest {
  return JSON.parse(writeGeminiRequest(conversationOf(fields), model, 1_000, THINKING).toString());
}

const user = (...parts: UserPart[]): Turn => ({ role: 'user', parts });
const say = (text: string) => ({ kind: 'text' as const, text });
const called = (id: string, name = 'find', args = '{}') => ({
  kind: 'tool_call' as const,
  id,
  name,
  arguments: args,
});
const result = (callId: string, ...parts: (typeof PNG | ReturnType<typeof say>)[]) => ({
  kind: 'tool_result' as const,
  callId,
  parts,
  isError: false,
});
const PNG = { kind: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'aQ==' } } as const;
const CALL_TURN: Turn = { role: 'assistant', parts: [called('c1'), called('c2', 'tell')] };

describe('any conversation', () => {
  test.each([GEMINI_2, GEMINI_3])('results in a request that %s accepts', (model) => {
    fc.assert(
      fc.property(answeringConversation, (conversation) => {
        expect(brokenRules(sent(conversation, model), model === GEMINI_3)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

describe('instructions', () => {
  test('in the middle are appended to those at the beginning', () => {
    const request = sent({
      system: [say('be short'), say('')],
      turns: [user(say('a')), { role: 'system', parts: [say('be kind')] }, user(say('b'))],
    });
    expect(request.systemInstruction).toEqual({ parts: [{ text: 'be short' }, { text: 'be kind' }] });
    expect(request.contents).toEqual([{ role: 'user', parts: [{ text: 'a' }, { text: 'b' }] }]);
  });

  test('at the end are followed, not continued', () => {
    const turns: Turn[] = [
      user(say('a')),
      { role: 'assistant', parts: [say('b')] },
      { role: 'system', parts: [say('sum up')] },
    ];
    expect(sent({ turns }, NEWEST).contents.at(-1)).toEqual({ role: 'user', parts: [{ text: ' ' }] });
  });

  test('without messages still result in a request', () => {
    const request = sent({ system: [say('s')], turns: [] });
    expect(request.contents).toEqual([{ role: 'user', parts: [{ text: ' ' }] }]);
  });
});

describe('tool results', () => {
  test("are in one content with their names, in the order of the calls, before the user's content", () => {
    const { contents } = sent({
      turns: [
        user(say('q')),
        CALL_TURN,
        user(result('c2', say('two')), say('and?'), result('c1', say('one'))),
      ],
    });
    expect(contents.slice(2)).toEqual([
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'c1', name: 'find', response: { output: 'one' } } },
          { functionResponse: { id: 'c2', name: 'tell', response: { output: 'two' } } },
        ],
      },
      { role: 'user', parts: [{ text: 'and?' }] },
    ]);
  });

  test('are errors if they failed or are missing', () => {
    const { contents } = sent({
      turns: [user(say('q')), CALL_TURN, user({ ...result('c1', say('no')), isError: true })],
    });
    expect(contents[2]!.parts.map(({ functionResponse }) => functionResponse?.response)).toEqual([
      { error: 'no' },
      { error: 'The call was not answered.' },
    ]);
  });

  test('contain images in Gemini 3', () => {
    const { contents } = sent({ turns: [user(say('q')), CALL_TURN, user(result('c1', say('see'), PNG))] });
    expect(contents[2]!.parts[0]!.functionResponse).toEqual({
      id: 'c1',
      name: 'find',
      response: { output: 'see' },
      parts: [{ inlineData: { mimeType: 'image/png', data: 'aQ==' } }],
    });
    expect(contents).toHaveLength(3);
  });

  test('are followed by their images in Gemini 2.5, after all responses', () => {
    const turns = [user(say('q')), CALL_TURN, user(result('c1', PNG), result('c2', say('b')), say('well?'))];
    const { contents } = sent({ turns }, GEMINI_2);
    expect(contents[2]!.parts).toHaveLength(2);
    expect(contents[3]!.parts).toEqual([
      { text: 'From the result of find:' },
      { inlineData: { mimeType: 'image/png', data: 'aQ==' } },
      { text: 'well?' },
    ]);
  });

  test('without a call are rejected', () => {
    expect(() => sent({ turns: [user(result('lost', say('x')))] })).toThrow(
      expect.objectContaining({ code: 'invalid_request', detail: expect.stringContaining('lost') }),
    );
    const turns = [user(say('q')), CALL_TURN, user(result('c1'), result('c1'), result('lost'))];
    expect(() => sent({ turns })).toThrow(expect.objectContaining({ detail: expect.stringContaining('c1') }));
  });

  test('with equal ids answer their calls in order', () => {
    const calls: Turn = { role: 'assistant', parts: [called('a'), called('b'), called('a')] };
    const results = [result('a', say('1')), result('b', say('2')), result('a', say('3'))];
    const { contents } = sent({ turns: [user(say('q')), calls, user(...results)] });
    expect(contents[2]!.parts.map(({ functionResponse }) => functionResponse?.response)).toEqual([
      { output: '1' },
      { output: '2' },
      { output: '3' },
    ]);
  });

  test('in any order are each looked at a few times only', () => {
    let looks = 0;
    const ids = Array.from({ length: 2_000 }, (_, index) => `c${index}`);
    const results = ids.map((id) => ({
      ...result(id, say('x')),
      get callId() {
        looks++;
        return id;
      },
    }));
    const calls: Turn = { role: 'assistant', parts: ids.map((id) => called(id)) };
    const { contents } = sent({ turns: [user(say('q')), calls, user(...results.reverse())] });
    expect(contents[2]!.parts).toHaveLength(ids.length);
    expect(looks).toBeLessThan(10 * ids.length);
  });
});

describe('arguments of tool calls', () => {
  const argumentsSent = (text: string) =>
    sent({ turns: [user(say('q')), { role: 'assistant', parts: [called('c', 'f', text)] }] }).contents[1]!
      .parts[0]!.functionCall!.args;

  test('are an object', () => {
    expect(argumentsSent('{"a":{"b":[1]}}')).toEqual({ a: { b: [1] } });
    expect(argumentsSent('')).toEqual({});
  });

  test.each(['{"a":', '[1]', '"x"', 'null'])('arguments that are not an object are wrapped: %s', (text) => {
    expect(argumentsSent(text)).toEqual({ arguments: text });
  });
});

test("ids of another provider's calls are adapted", () => {
  const id = `fc|${'x'.repeat(90)}`;
  const { contents } = sent({
    turns: [user(say('q')), { role: 'assistant', parts: [called(id)] }, user(result(id, say('a')))],
  });
  const callId = contents[1]!.parts[0]!.functionCall!.id;
  expect(callId).toMatch(/^call_[\w-]{24}$/);
  expect(contents[2]!.parts[0]!.functionResponse!.id).toBe(callId);
});

describe('media', () => {
  const partSent = (part: UserPart) => sent({ turns: [user(part)] }).contents[0]!.parts[0];

  test.each<[string, UserPart, object]>([
    ['image', PNG, { inlineData: { mimeType: 'image/png', data: 'aQ==' } }],
    [
      'sound',
      { kind: 'audio', source: { kind: 'base64', mediaType: 'audio/mpeg', data: 'aQ==' } },
      { inlineData: { mimeType: 'audio/mp3', data: 'aQ==' } },
    ],
    [
      'image by URL',
      { kind: 'image', source: { kind: 'url', url: 'https://example.com/a/b.WEBP?size=2' } },
      { fileData: { mimeType: 'image/webp', fileUri: 'https://example.com/a/b.WEBP?size=2' } },
    ],
    [
      'image by a URL that does not say what it is',
      { kind: 'image', source: { kind: 'url', url: 'https://example.com/photo' } },
      { fileData: { mimeType: 'image/jpeg', fileUri: 'https://example.com/photo' } },
    ],
    [
      'image by a URL that says what nobody knows',
      { kind: 'image', source: { kind: 'url', url: 'https://example.com/a.constructor' } },
      { fileData: { mimeType: 'image/jpeg', fileUri: 'https://example.com/a.constructor' } },
    ],
    [
      'PDF by URL',
      { kind: 'document', source: { kind: 'url', url: 'https://example.com/a' } },
      { fileData: { mimeType: 'application/pdf', fileUri: 'https://example.com/a' } },
    ],
    [
      'text document',
      { kind: 'document', source: { kind: 'text', text: 'words' }, title: 'Title' },
      { text: 'Title\n\nwords' },
    ],
  ])('%s', (_name, part, expected) => {
    expect(partSent(part)).toEqual(expected);
  });

  test.each([
    'http://example.com/a.png',
    'gs://bucket/a.png',
    'https://generativelanguage.googleapis.com/v1beta/files/of-our-account',
    'https://GenerativeLanguage.googleapis.com./v1beta/files/of-our-account',
    'https://generativelanguage.mtls.googleapis.com/v1beta/files/of-our-account',
    'https://www.youtube.com/watch?v=x',
    'https://youtu.be/x',
    'nonsense',
  ])('%s is rejected', (url) => {
    expect(() => partSent({ kind: 'image', source: { kind: 'url', url } })).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });

  test.each(['video/mp4', 'application/pdf', 'text/plain', 'audio/mp3', 'image/png; x'])(
    'an image of type %s is rejected: it would cost more than the bound of an image',
    (mediaType) => {
      const image = { kind: 'image', source: { kind: 'base64', mediaType, data: 'aQ==' } } as const;
      expect(() => partSent(image)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    },
  );

  test.each(['audio/mp3', 'video/mp4', 'image/png'])('a document of type %s is rejected', (mediaType) => {
    const document = { kind: 'document', source: { kind: 'base64', mediaType, data: 'aQ==' } } as const;
    expect(() => partSent(document)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  test('a document URL with an audio type is a document', () => {
    const document = { kind: 'document', source: { kind: 'url', url: 'https://a.example/b.mp3' } } as const;
    expect(partSent(document)).toMatchObject({ fileData: { mimeType: 'application/pdf' } });
  });
});

describe('tools', () => {
  const tool: Tool = {
    name: 'find',
    description: 'Finds.',
    parameters: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { kind: { const: 'x' }, n: { type: 'number', exclusiveMinimum: 0 } },
      propertyNames: { pattern: '^[a-z]+$' },
    },
  };
  const other: Tool = { name: 'tell', parameters: { type: 'object', properties: {} } };
  const tools = [tool, other];

  test('keep their schemas with all contents except $schema', () => {
    const { $schema: _language, ...parametersJsonSchema } = tool.parameters;
    expect(sent({ tools }).tools).toEqual([
      {
        functionDeclarations: [
          { name: 'find', description: 'Finds.', parametersJsonSchema },
          { name: 'tell' },
        ],
      },
    ]);
  });

  test('that accept any object say so', () => {
    const parameters = { type: 'object', additionalProperties: true };
    expect(sent({ tools: [{ name: 'put', parameters }] }).tools![0]!.functionDeclarations).toEqual([
      { name: 'put', parametersJsonSchema: parameters },
    ]);
  });

  test.each<[Conversation['toolChoice'], object]>([
    [{ kind: 'auto' }, { mode: 'AUTO' }],
    [{ kind: 'none' }, { mode: 'NONE' }],
    [{ kind: 'required' }, { mode: 'ANY' }],
    [
      { kind: 'tool', name: 'tell' },
      { mode: 'ANY', allowedFunctionNames: ['tell'] },
    ],
    [
      { kind: 'allowed', names: ['tell'], required: true },
      { mode: 'ANY', allowedFunctionNames: ['tell'] },
    ],
    [{ kind: 'allowed', names: ['tell'], required: false }, { mode: 'AUTO' }],
  ])('tool choice %j', (toolChoice, expected) => {
    expect(sent({ tools, toolChoice }).toolConfig).toEqual({ functionCallingConfig: expected });
  });

  test("with a restricted choice are rejected where allowed names can't be listed", () => {
    const { tools: offered } = sent({
      tools,
      toolChoice: { kind: 'allowed', names: ['tell'], required: false },
    });
    expect(offered![0]!.functionDeclarations).toEqual([{ name: 'tell' }]);
  });
});

describe('output', () => {
  const schema = { $schema: 'x', type: 'object', properties: { a: { type: ['string', 'null'] } } };
  const tools: Tool[] = [{ name: 'f', parameters: {} }];

  test('as JSON, with and without a schema', () => {
    expect(sent({ output: { kind: 'json' } }).generationConfig).toEqual({
      maxOutputTokens: 1_000,
      responseMimeType: 'application/json',
    });
    const { $schema: _language, ...responseJsonSchema } = schema;
    expect(sent({ output: { kind: 'schema', name: 'n', schema } }).generationConfig).toEqual({
      maxOutputTokens: 1_000,
      responseMimeType: 'application/json',
      responseJsonSchema,
    });
  });

  test('as JSON together with tools is rejected for Gemini 2.5', () => {
    expect(sent({ output: { kind: 'json' }, tools }).tools).toHaveLength(1);
    expect(() => sent({ output: { kind: 'json' }, tools }, GEMINI_2)).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
    const unused = sent({ output: { kind: 'json' }, tools, toolChoice: { kind: 'none' } }, GEMINI_2);
    expect(unused.tools).toBeUndefined();
  });
});

describe('sampling parameters', () => {
  const sampling = {
    temperature: 0.5,
    topP: 0.9,
    topK: 3,
    seed: 7,
    presencePenalty: 1,
    frequencyPenalty: 1,
    stop: ['END', ''],
  };

  test('omit penalties, which the models reject', () => {
    expect(sent({ sampling }).generationConfig).toEqual({
      maxOutputTokens: 1_000,
      temperature: 0.5,
      topP: 0.9,
      topK: 3,
      seed: 7,
      stopSequences: ['END'],
    });
  });

  test('are omitted where the model fixes them', () => {
    expect(sent({ sampling }, NEWEST).generationConfig).toEqual({
      maxOutputTokens: 1_000,
      seed: 7,
      stopSequences: ['END'],
    });
  });

  test('omit a seed above 32 bits', () => {
    expect(sent({ sampling: { seed: 2 ** 31, stop: [] } }).generationConfig).toEqual({
      maxOutputTokens: 1_000,
    });
  });

  test('with too many stop sequences are rejected', () => {
    expect(() => sent({ sampling: { stop: [...'abcdef'] } })).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });
});

test('an assistant prefill is rejected where the model would not continue it', () => {
  const turns: Turn[] = [user(say('q')), { role: 'assistant', parts: [say('{')] }];
  expect(sent({ turns }).contents.at(-1)).toEqual({ role: 'model', parts: [{ text: '{' }] });
  expect(() => sent({ turns }, NEWEST)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
});
