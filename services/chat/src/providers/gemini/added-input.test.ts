import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { addedInputTokens } from './added-input';
import { answeringConversation, conversationOf } from './conversation.fixture';
import type { SentRequest } from './request-rules.fixture';
import { writeGeminiRequest } from './write-request';

test('an image that Google fetches has no bound of its own', () => {
  const image = { kind: 'image', source: { kind: 'url', url: 'https://youtu.be/x' } } as const;
  const result = { kind: 'tool_result', callId: 'a', parts: [image], isError: false } as const;
  for (const part of [image, result]) {
    const conversation = conversationOf({ turns: [{ role: 'user', parts: [part] }] });
    expect(addedInputTokens(conversation)).toBe(Number.MAX_SAFE_INTEGER);
  }
});

test('all text that the gateway adds is bounded in bytes', () => {
  fc.assert(
    fc.property(answeringConversation, (conversation) => {
      fc.pre(addedInputTokens(conversation) < Number.MAX_SAFE_INTEGER);
      const body = writeGeminiRequest(conversation, 'gemini-2.5-flash', 10, new Set()).toString();
      const ours = (JSON.parse(body) as SentRequest).contents.flatMap(({ parts }) =>
        parts.flatMap(({ text = '', functionResponse }) => {
          const { response } = functionResponse ?? {};
          const lost = response && 'error' in response && /^The call was not/.test(response.error);
          if (lost) return [response.error, functionResponse!.name];
          return text === ' ' || /^From the result of/.test(text) ? [text] : [];
        }),
      );
      expect(Buffer.byteLength(ours.join(''))).toBeLessThanOrEqual(addedInputTokens(conversation));
    }),
  );
});
