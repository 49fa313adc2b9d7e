import { expect, test } from '@jest/globals';
import type { Conversation } from '../../domain/conversation';
import { addedInputTokens } from './added-input';

test("instructions about tools and response formats count as the caller's input", () => {
  const of = (more: Partial<Conversation>) =>
    addedInputTokens({
      system: [],
      turns: [],
      tools: [],
      toolChoice: { kind: 'auto' },
      output: { kind: 'text' },
      sampling: { stop: [] },
      stream: false,
      ...more,
    });
  const tools = [{ name: 'f', parameters: {} }];
  expect(of({})).toBeLessThan(100);
  expect(of({ tools }) - of({})).toBeGreaterThanOrEqual(900);
  expect(of({ tools, output: { kind: 'json' } })).toBeGreaterThan(of({ tools }));
});
