import { describe, expect, test } from '@jest/globals';
import { type CountedRequest, countPrompt, countBound as countWithin } from './count-prompt';

/** Time enough on any machine. */
const countBound = (body: CountedRequest) => countWithin(body, 10_000);

const WORDS = 'The quick brown fox jumps over the lazy dog. '.repeat(200);
const plain = { messages: [{ role: 'user', content: WORDS }] };

describe('the bound by token count', () => {
  test('is far below the bytes of plain text', () => {
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
  ])('is bounded by the bytes of %s', (_, body) => {
    expect(countBound(body)!).toBeGreaterThan(WORDS.length);
  });

  test('counts the text of a call with tools', () => {
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
    const bound = countBound({ ...plain, tools })!;
    expect(bound).toBeLessThan(WORDS.length / 3);
    expect(bound).toBeGreaterThan(countBound(plain)! + JSON.stringify(tools).length);
  });

  test('has its own bound for an image', () => {
    const url = `data:image/png;base64,${'A'.repeat(10_000)}`;
    expect(
      countBound({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] })!,
    ).toBeLessThan(500);
  });

  test('is absent for text that takes too long to count', () => {
    const noise = Array.from({ length: 400_000 }, (_, at) =>
      String.fromCharCode(0x4e00 + ((at * 7919) % 20_000)),
    ).join('');
    expect(countWithin({ messages: [{ role: 'user', content: noise }] }, 25)).toBeUndefined();
  });
});

describe('a request that is counted only by the gateway', () => {
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
  ])('is bounded by the tokens of %s', (_, body) => {
    expect(countPrompt(body).tokens).toBeGreaterThan(tokens * 0.98);
  });
});
