import { describe, expect, test } from '@jest/globals';
import { countPrompt, signedPartsOf } from '../../domain/prompt';
import { O200kTokenizer } from '../../domain/tokenizer';
import { parseChatRequest } from '../openai/chat-request';
import { ProviderError } from '../provider-error';
import { signCall } from './call-signature';
import { parseCountRequest, parseGenerateRequest } from './generate-request';

const TARGET = { model: 'm', stream: false };
const SKIP = 'skip_thought_signature_validator';

const user = (...parts: unknown[]) => ({ role: 'user', parts });
const model = (...parts: unknown[]) => ({ role: 'model', parts });
const text = (statusNames: string) => ({ text: statusNames });
const call = (name: string, thoughtSignature?: string, args: object = { a: 1, b: 2 }) => ({
  functionCall: { name, args },
  ...(thoughtSignature === undefined ? {} : { thoughtSignature }),
});
const response = (name: string) => ({ functionResponse: { name, response: { result: 'ok' } } });
const request = (more: object) => ({ contents: [user(text('x'))], ...more });
const talk = (...contents: unknown[]) => request({ contents });
const declares = (...functionDeclarations: unknown[]) => request({ tools: [{ functionDeclarations }] });
const takes = (parameters: object) => declares({ name: 'f', parameters });
const object = (properties: object, more: object = {}) => ({ type: 'OBJECT', properties, ...more });
const configured = (generationConfig: object) => request({ generationConfig });
const calling = (functionCallingConfig: object) => ({
  ...declares({ name: 'f' }),
  toolConfig: { functionCallingConfig },
});

function refusal(body: unknown): ProviderError {
  try {
    parseGenerateRequest(body, TARGET);
  } catch (error) {
    if (error instanceof ProviderError && error.status === 400) return error;
    throw error;
  }
  throw new Error('a request is accepted with');
}

describe('a request is refused for', () => {
  test.each<[string, unknown, RegExp]>([
    ['a body that is not an object', [], /object/],
    ['an unknown field', request({ n: 1 }), /Unknown name "n": Cannot find field/],
    ['an unknown setting', configured({ stop: [] }), /Unknown name "stop" at 'generation_config'/],
    [
      'a setting of a wrong type',
      configured({ maxOutputTokens: '1' }),
      /generation_config.max_output_tokens' \(TYPE_INT32\)/,
    ],
    ['a system instruction that is a string', request({ systemInstruction: 'x' }), /system_instruction/],
    ['an empty list of contents', talk(), /contents is not specified/],
    ['an unknown role', talk({ role: 'assistant', parts: [text('x')] }), /valid role: user, model/],
    ['a content without parts', talk(user()), /must not be empty/],
    ['an empty part', talk(user({})), /must have one initialized field/],
    ['an empty text', talk(user(text(''))), /must have one initialized field/],
    [
      'a part with two kinds of data',
      talk(user({ text: 'x', inlineData: { mimeType: 'image/png', data: 'eA==' } })),
      /oneof field 'data'/,
    ],
    [
      'an OpenAI part',
      talk(user({ type: 'text', text: 'x' })),
      /Unknown name "type" at 'contents\[0\].parts\[0\]'/,
    ],
    ['a data URL', talk(user({ inlineData: { mimeType: 'image/png', data: 'data:x,y' } })), /Base64/],
    ['a model turn at the end', talk(user(text('x')), model(text('y'))), /ends with a user role/],
    [
      'a function call at the start',
      talk(model(call('f', SKIP)), user(response('f'))),
      /immediately after a user turn/,
    ],
    ['a call by the user', talk(user(call('f'))), /function call/],
    [
      'a response without a call',
      talk(user(text('x')), model(text('y')), user(response('f'))),
      /immediately after a function call/,
    ],
    [
      'a call without response',
      talk(user(text('x')), model(call('f', SKIP)), user(text('y'))),
      /number of function response parts/,
    ],
    [
      'a response with another name',
      talk(user(text('x')), model(call('f', SKIP)), user(response('g'))),
      /names/,
    ],
    [
      'arguments that are a string',
      talk(user(text('x')), model({ functionCall: { name: 'f', args: '{}' } }), user(response('f'))),
      /args/,
    ],
    [
      'a response that is a string',
      talk(user(text('x')), model(call('f', SKIP)), user({ functionResponse: { name: 'f', response: 'x' } })),
      /response/,
    ],
    [
      'a call without a signature',
      talk(user(text('x')), model(call('f')), user(response('f'))),
      /missing a thought_signature/,
    ],
    [
      'the signature of another call',
      talk(user(text('x')), model(call('f', signCall('g', {}))), user(response('f'))),
      /not valid/,
    ],
    [
      'a wrong signature with an older model',
      talk(user(text('x')), model(call('f', 'y')), user(response('f')), model(text('z')), user(text('x'))),
      /not valid/,
    ],
    [
      'a schema with additionalProperties',
      takes(object({ a: { type: 'OBJECT', additionalProperties: false } })),
      /Unknown name "additionalProperties" at 'tools\[0\].function_declarations\[0\].parameters.properties\[0\].value'/,
    ],
    ['a schema with $schema', takes({ ...object({}), $schema: 'x' }), /Unknown name "\$schema"/],
    ['a schema with a constant', takes(object({ a: { anyOf: [{ const: 1 }] } })), /any_of\[0\]'/],
    [
      'a schema with exclusive bounds',
      takes(object({ a: { exclusiveMinimum: 1, exclusiveMaximum: 2 } })),
      /exclusiveMinimum[\s\S]*exclusiveMaximum/,
    ],
    ['a schema with propertyNames', takes({ ...object({}), propertyNames: {} }), /propertyNames/],
    ['a schema of two types', takes(object({ a: { type: ['string', 'null'] } })), /cannot start list/],
    [
      'an enum of numbers',
      takes(object({ a: { type: 'INTEGER', enum: [1] } })),
      /enum\[0\]' \(TYPE_STRING\)/,
    ],
    [
      'an array schema without items',
      takes(object({ a: { type: 'ARRAY' } })),
      /properties\[a\].items: missing field/,
    ],
    [
      'a required property that is not defined',
      takes(object({}, { required: ['a'] })),
      /required\[0\]: property is not defined/,
    ],
    [
      'properties in a string schema',
      takes(object({ a: { type: 'STRING', properties: {} } })),
      /only allowed for OBJECT/,
    ],
    ['parameters that are not an object schema', takes({ type: 'STRING' }), /should be of type OBJECT/],
    [
      'both kinds of schema',
      declares({ name: 'f', parameters: object({}), parametersJsonSchema: {} }),
      /both be set/,
    ],
    ['a name with a space', declares({ name: 'a b' }), /Invalid function name/],
    ['two functions with one name', declares({ name: 'f' }, { name: 'f' }), /Duplicate/],
    [
      'an OpenAI tool',
      request({ tools: [{ type: 'function', function: {} }] }),
      /Unknown name "type" at 'tools\[0\]'/,
    ],
    ['an unknown mode', calling({ mode: 'REQUIRED' }), /mode' \(TYPE_ENUM\)/],
    [
      'allowed_function_names without mode ANY',
      calling({ mode: 'AUTO', allowedFunctionNames: ['f'] }),
      /should only be set/,
    ],
    [
      'allowed_function_names with an unknown function',
      calling({ mode: 'ANY', allowedFunctionNames: ['g'] }),
      /not declared: g/,
    ],
    [
      'a response schema with plain text',
      configured({ responseSchema: object({}) }),
      /response_mime_type must be/,
    ],
    ['too many candidates', configured({ candidateCount: 9 }), /candidate_count/],
    ['a temperature above 2', configured({ temperature: 2.5 }), /temperature/],
    ['six stop sequences', configured({ stopSequences: ['1', '2', '3', '4', '5', '6'] }), /stop_sequences/],
    [
      'both a thinking budget and a level',
      configured({ thinkingConfig: { thinkingBudget: 1, thinkingLevel: 'LOW' } }),
      /only one/,
    ],
  ])('%s', (_, body, message) => {
    expect(refusal(body).message).toMatch(message);
  });

  test('all unknown fields are reported at once, with their paths', () => {
    const violations = [{ field: '' }, { field: 'generation_config' }];
    expect(refusal(request({ a: 1, generationConfig: { b: 1 } })).toBody('')).toMatchObject({
      error: {
        details: [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: violations }],
      },
    });
  });
});

describe('a request is accepted with', () => {
  test.each<[string, unknown]>([
    ['a content without a role', talk({ parts: [text('x')] })],
    [
      'a signature in URL-safe base64 without padding',
      talk(
        user(text('x')),
        model(call('f', Buffer.from(signCall('f', { a: 1, b: 2 }), 'base64').toString('base64url'))),
        user(response('f')),
      ),
    ],
    ['two adjacent contents of the user', talk(user(text('x')), user(text('y')))],
    [
      'each part in a content of its own',
      talk(
        user(text('x')),
        model(text('y')),
        model(call('f', SKIP)),
        model(call('g')),
        user(response('f')),
        { role: 'function', parts: [response('g')] },
        user(text('z')),
      ),
    ],
    [
      'an image in the response of a function',
      talk(
        user(text('x')),
        model(call('f', SKIP)),
        user({
          functionResponse: {
            name: 'f',
            response: {},
            parts: [{ inlineData: { mimeType: 'image/png', data: 'eA' } }],
          },
        }),
      ),
    ],
    [
      'an unchanged signed call with its arguments in another order',
      talk(user(text('x')), model(call('f', signCall('f', { b: 2, a: 1 }))), user(response('f'))),
    ],
    ['a call that no model made', talk(user(text('x')), model(call('f', SKIP)), user(response('f')))],
    [
      'a second call without a signature, and responses in another order',
      talk(user(text('x')), model(call('f', SKIP), call('g')), user(response('g'), response('f'))),
    ],
    [
      'a user turn with text after a turn with responses',
      talk(user(text('x')), model(call('f', SKIP)), user(response('f')), user(text('y'))),
    ],
    [
      'a call without a signature with an older model',
      talk(user(text('x')), model(call('f')), user(response('f')), model(text('y')), user(text('z'))),
    ],
    [
      'an empty text at the end of a model turn',
      talk(user(text('x')), model(text('y'), text('')), user(text('z'))),
    ],
    [
      'any JSON schema in parametersJsonSchema',
      declares({ name: 'f', parametersJsonSchema: { $schema: 'x', additionalProperties: false } }),
    ],
    [
      'fields in snake case',
      request({ system_instruction: null, generation_config: { max_output_tokens: 5 } }),
    ],
    ['types in lower case', takes({ type: 'object', properties: { a: { type: 'string' } } })],
    ["Google's own tool", request({ tools: [{ googleSearch: {} }] })],
    ['null members', request({ systemInstruction: null, tools: null, generationConfig: null })],
  ])('%s', (_, body) => {
    expect(parseGenerateRequest(body, TARGET).model).toBe('m');
  });

  test.each(['gemini-2.5-flash', 'gemini-3-flash-preview', 'gemini-3.1-pro'])(
    'a model turn at the end, which %s continues',
    (name) => {
      const body = talk(user(text('x')), model(text('y')));
      expect(() => parseGenerateRequest(body, { ...TARGET, model: name })).not.toThrow();
    },
  );

  test('calls without signatures for models before Gemini 3', () => {
    const body = talk(user(text('x')), model(call('f')), user(response('f')));
    const read = (name: string) => () => parseGenerateRequest(body, { ...TARGET, model: name });
    expect(read('gemini-2.5-flash')).not.toThrow();
    expect(read('gemini-3.5-flash')).toThrow(/missing a thought_signature/);
  });

  test('a token count of contents or of a complete request', () => {
    const { contents } = talk(user(text('x'))) as { contents: unknown };
    const whole = { generateContentRequest: { model: 'models/m', contents } };
    expect(parseCountRequest({ contents }, TARGET).prompt).toEqual(parseCountRequest(whole, TARGET).prompt);
  });
});

test('a conversation has the same tokens as in OpenAI’s format', () => {
  const tokenizer = new O200kTokenizer();
  const generate = parseGenerateRequest(
    {
      systemInstruction: { parts: [text('be kind')] },
      contents: [
        user(text('look'), { inlineData: { mimeType: 'image/png', data: 'eA==' } }),
        model({ text: 'hm', thought: true }, text('so'), call('f', SKIP)),
        user(response('f'), text('and now?')),
      ],
    },
    TARGET,
  );
  const chat = parseChatRequest({
    model: 'm',
    messages: [
      { role: 'system', content: 'be kind' },
      { role: 'user', content: [{ type: 'text', text: 'look' }, { type: 'image_url' }] },
      {
        role: 'assistant',
        content: 'so',
        tool_calls: [{ function: { name: 'f', arguments: '{"a":1,"b":2}' } }],
      },
      { role: 'tool', content: '{"result":"ok"}' },
      { role: 'user', content: 'and now?' },
    ],
  });
  expect(generate.prompt.messages).toEqual(chat.prompt.messages);
  expect(countPrompt(generate.prompt, tokenizer)).toBe(countPrompt(chat.prompt, tokenizer));
});

test('calls with a valid signature count as signed parts, the placeholder does not', () => {
  const signed = (signature: string) => {
    const body = talk(user(text('x')), model(call('f', signature)), user(response('f')));
    return signedPartsOf(parseGenerateRequest(body, TARGET).prompt);
  };
  expect([signed(signCall('f', { a: 1, b: 2 })), signed(SKIP)]).toEqual([1, 0]);
});
