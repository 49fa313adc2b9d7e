import { describe, expect, test } from '@jest/globals';
import { CALLS, providerOf, receivedBy } from '../../app/upstream-request.fixture';
import { isStrictSchema, objectSchema } from './strict-schema';

const strict = {
  type: 'object',
  properties: { x: { type: 'string' } },
  required: ['x'],
  additionalProperties: false,
};

test.each<[string, Record<string, unknown>]>([
  ['its every object is', strict],
  ['there is no object', { type: 'array', items: { type: ['string', 'null'] } }],
  ['it refers to one that is', { ...strict, $defs: { d: strict } }],
])('a schema is strict when %s', (_name, schema) => {
  expect(isStrictSchema(schema)).toBe(true);
});

test.each<[string, Record<string, unknown>]>([
  ['an optional property', { ...strict, required: [] }],
  ['other properties', { ...strict, additionalProperties: true }],
  ['an inner object that is loose', { ...strict, properties: { x: { type: 'object', properties: {} } } }],
  ['a loose definition', { ...strict, $defs: { d: { type: 'object' } } }],
  ['loose items', { type: 'array', items: { type: 'object' } }],
  ['a loose alternative', { anyOf: [{ type: 'string' }, { type: 'object' }] }],
  ['an object that may be null and is loose', { type: ['object', 'null'] }],
  ['a value of any type', { ...strict, properties: { x: {} } }],
  ['a default', { ...strict, properties: { x: { type: 'string', default: '' } } }],
  ['a combination', { ...strict, properties: { x: { allOf: [strict] } } }],
  ['an unknown format', { ...strict, properties: { x: { type: 'string', format: 'uri' } } }],
])('a schema is not strict with %s', (_name, schema) => {
  expect(isStrictSchema(schema)).toBe(false);
});

test('a schema that nests endlessly is not traversed', () => {
  let schema: Record<string, unknown> = strict;
  for (let depth = 0; depth < 1_000; depth++) schema = { type: 'array', items: schema };
  expect(isStrictSchema(schema)).toBe(false);
});

test('an object is given its properties', () => {
  expect(objectSchema({ type: 'object' })).toEqual({ type: 'object', properties: {} });
  expect(objectSchema({ properties: { x: {} } })).toEqual({ type: 'object', properties: { x: {} } });
});

describe('a schema that does not qualify as strict', () => {
  const schema = {
    type: 'object',
    properties: { at: { type: 'string' }, day: { type: 'string' } },
    required: ['at'],
  };
  const azure = providerOf('azure-openai');
  const responding = { ...azure, ...azure.responses!('account') };
  const USER = { role: 'user', content: 'Rome?' };

  test('stays strict where its caller asks for that in the format of OpenAI, whose refusal says what it lacks', () => {
    const json_schema = { name: 'o', schema, strict: true };
    const tool = { name: 'f', parameters: schema, strict: true };
    const chat = {
      tools: [{ type: 'function', function: tool }],
      response_format: { type: 'json_schema', json_schema },
    };
    expect(receivedBy(azure, CALLS.chat({ messages: [USER], ...chat }))).toMatchObject(chat);
    const responses = {
      tools: [{ type: 'function', ...tool }],
      text: { format: { type: 'json_schema', ...json_schema } },
    };
    expect(receivedBy(responding, CALLS.responses({ input: [USER], ...responses }))).toMatchObject(responses);
  });

  test('is not strict in calls of other formats', () => {
    const messages = CALLS.messages({
      messages: [USER],
      tools: [{ name: 'f', input_schema: schema, strict: true }],
      output_config: { format: { type: 'json_schema', schema } },
    });
    const contents = CALLS.generateContent({
      contents: [{ role: 'user', parts: [{ text: 'Rome?' }] }],
      tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: schema }] }],
      generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema },
    });
    for (const request of [messages, contents]) {
      const { tools, response_format } = receivedBy(azure, request);
      expect(tools[0].function.strict).toBeUndefined();
      expect(response_format.json_schema).toMatchObject({ schema, strict: false });
    }
  });
});
