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

test('returns the named tools in the order of the tools', () => {
  const [f, g, h] = ['f', 'g', 'h'].map(tool) as [Tool, Tool, Tool];
  expect(allowedTools([f, g, h], ['h', 'x', 'f', 'f'])).toEqual([f, h]);
});

test('takes linear time for as many names as tools', () => {
  const tools = Array.from({ length: 200_000 }, (_, index) => tool(`tool_${index}`));
  const names = tools.map(({ name }) => name).reverse();
  expect(allowedTools(tools, names)).toHaveLength(tools.length);
});
