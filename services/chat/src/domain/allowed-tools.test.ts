import { expect, test } from '@jest/globals';
import { allowedTools } from './allowed-tools';
import type { Tool } from './conversation';

const tool = (name: string): Tool => ({
  name,
  description: undefined,
  parameters: {},
  strict: undefined,
  cache: undefined,
});

test('those that are named, in their own order', () => {
  const [f, g, h] = ['f', 'g', 'h'].map(tool) as [Tool, Tool, Tool];
  expect(allowedTools([f, g, h], ['h', 'x', 'f', 'f'])).toEqual([f, h]);
});

test('as many names as tools take no time for each pair', () => {
  const tools = Array.from({ length: 200_000 }, (_, index) => tool(`tool_${index}`));
  const names = tools.map(({ name }) => name).reverse();
  expect(allowedTools(tools, names)).toHaveLength(tools.length);
});
