import { describe, expect, test } from '@jest/globals';
import { type CountedRequest, countPrompt, countBound as countWithin } from './count-prompt';

/** Time enough on any machine. */
const countBound = (body: CountedRequest) => countWithin(body, 10_000);

const WORDS = 'The quick brown fox jumps over the lazy dog. '.repeat(200);
const plain = { messages: [{ role: 'user', content: WORDS }] };

describe('the bound by count', () => {
  test('of plain words is far below their bytes', () => {
    expect(countBound(plain)!).toBeLessThan(WORDS.length / 3);
  });

  const said = { role: 'user', content: 'Hi' };
  test.each([
    ['a legacy call', { messages: [{ role: 'assistant', function_call: { name: 'f', arguments: WORDS } }] }],
    [
      'a call of a custom tool',
      { messages: [{ role: 'assistant', tool_calls: [{ custom: { input: WORDS } }] }] },
    ],
    ['a refusal', { messages: [{ role: 'assistant', content: null, refusal: WORDS }] }],
    [
      'a refusal as a part',
      { messages: [{ role: 'assistant', content: [{ type: 'refusal', refusal: WORDS }] }] },
    ],
    ['a member of a message that nobody knows', { messages: [{ ...said, more: WORDS }] }],
    [
      'a member of a part that nobody knows',
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi', more: WORDS }] }] },
    ],
    [
      'a member of an image that nobody knows',
      {
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x', more: WORDS } }] }],
      },
    ],
    [
      'tools',
      { messages: [said], tools: [{ type: 'function', function: { name: 'f', description: WORDS } }] },
    ],
    ['functions', { messages: [said], functions: [{ name: 'f', description: WORDS }] }],
    [
      'a schema',
      {
        messages: [said],
        response_format: { type: 'json_schema', json_schema: { schema: { title: WORDS } } },
      },
    ],
    ['a member of the body that nobody knows', { messages: [said], more: WORDS }],
  ])('has the bytes of %s', (_, body) => {
    expect(countBound(body)!).toBeGreaterThan(WORDS.length);
  });

  test('leaves the words of a call with tools counted', () => {
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
    const bound = countBound({ ...plain, tools })!;
    expect(bound).toBeLessThan(WORDS.length / 3);
    expect(bound).toBeGreaterThan(countBound(plain)! + JSON.stringify(tools).length);
  });

  test('has an image as its own bound', () => {
    const url = `data:image/png;base64,${'A'.repeat(10_000)}`;
    expect(
      countBound({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] })!,
    ).toBeLessThan(500);
  });

  test('of words that take too long to count is none', () => {
    const noise = Array.from({ length: 400_000 }, (_, at) =>
      String.fromCharCode(0x4e00 + ((at * 7919) % 20_000)),
    ).join('');
    expect(countWithin({ messages: [{ role: 'user', content: noise }] }, 25)).toBeUndefined();
  });
});

describe('a request that nobody but us has counted', () => {
  const said = { role: 'user', content: 'Hi' };
  const { tokens } = countPrompt(plain);
  test.each([
    ['a legacy call', { messages: [{ role: 'assistant', function_call: { name: 'f', arguments: WORDS } }] }],
    [
      'a call',
      { messages: [{ role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: WORDS } }] }] },
    ],
    [
      'a call of a custom tool',
      { messages: [{ role: 'assistant', tool_calls: [{ custom: { name: 'f', input: WORDS } }] }] },
    ],
    ['a refusal', { messages: [{ role: 'assistant', content: null, refusal: WORDS }] }],
    [
      'a refusal as a part',
      { messages: [{ role: 'assistant', content: [{ type: 'refusal', refusal: WORDS }] }] },
    ],
    ['functions', { messages: [said], functions: [{ name: 'f', description: WORDS }] }],
    ['a schema', { messages: [said], response_format: { json_schema: { schema: { title: WORDS } } } }],
  ])('has the words of %s', (_, body) => {
    expect(countPrompt(body).tokens).toBeGreaterThan(tokens * 0.98);
  });
});
