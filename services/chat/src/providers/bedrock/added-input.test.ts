import { expect, test } from '@jest/globals';
import type { Conversation, Turn } from '../../domain/conversation';
import { addedInputTokens } from './added-input';
import { writeConverseRequest } from './write-request';

const conversationOf = (turns: readonly Turn[]): Conversation => ({
  system: [],
  turns,
  tools: [],
  toolChoice: { kind: 'auto' },
  output: { kind: 'text' },
  sampling: { stop: [] },
  stream: false,
});

test('the bound includes the text that calls, results and documents get', () => {
  const calls = Array.from({ length: 50 }, (_, index): Turn[] => [
    {
      role: 'assistant',
      parts: [{ kind: 'tool_call', id: `call_${index}`, name: 'f', arguments: '' }],
    },
    {
      role: 'user',
      parts: [{ kind: 'tool_result', callId: `call_${index}`, parts: [], isError: false }],
    },
  ]).flat();
  const written = writeConverseRequest(conversationOf(calls), 'm', 100, new Set()).toString();
  const texts = [...written.matchAll(/"text":"([^"]*)"/g)].map(([, text]) => text);
  const words = texts.join(' ').split(/\W+/).length;
  expect(addedInputTokens(conversationOf(calls))).toBeGreaterThan(words);
  expect(addedInputTokens(conversationOf([]))).toBeLessThan(100);
});
