import { expect, test } from '@jest/globals';
import { boundInput, countInput } from './count-input';

const BUDGET_MS = 1_000;
const bodyOf = (body: object) => Buffer.from(JSON.stringify({ model: 'm', ...body }));

test('texts count as in chat completions', () => {
  // 3 for the reply, and for each message 3, its role and its words.
  expect(countInput(bodyOf({ input: 'hello world' }))).toBe(3 + 3 + 1 + 2);
  const input = [{ role: 'user', content: [{ type: 'input_text', text: 'hello world' }] }];
  expect(countInput(bodyOf({ input, instructions: 'hello' }))).toBe(3 + (3 + 1 + 1) + (3 + 1 + 2));
});

test('calls, their outputs and tools count', () => {
  const call = { type: 'function_call', call_id: 'c', name: 'find', arguments: '{"q":1}' };
  const output = { type: 'function_call_output', call_id: 'c', output: 'hello world' };
  const alone = countInput(bodyOf({ input: 'a' }));
  const tools = [{ type: 'function', name: 'find', parameters: { type: 'object' } }];
  expect(countInput(bodyOf({ input: 'a', tools }))).toBeGreaterThan(alone);
  const items = [{ role: 'user', content: 'a' }, call, output];
  expect(countInput(bodyOf({ input: items }))).toBeGreaterThan(alone + 8);
});

test('the bound of a long text is near its tokens, and everything else is bounded by its bytes', () => {
  const text = 'hello world '.repeat(500);
  const counted = countInput(bodyOf({ input: text }));
  const bound = boundInput(bodyOf({ input: text }), BUDGET_MS)!;
  expect(bound).toBeGreaterThanOrEqual(counted);
  expect(bound).toBeLessThan(counted * 1.2 + 100);
  const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: text };
  expect(boundInput(bodyOf({ input: [call] }), BUDGET_MS)).toBeGreaterThan(text.length);
  const image = { role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,AA==' }] };
  expect(boundInput(bodyOf({ input: [image] }), BUDGET_MS)).toBeUndefined();
});
