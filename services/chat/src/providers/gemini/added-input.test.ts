import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { addedInputTokens } from './added-input';
import { answeringConversation } from './conversation.fixture';
import type { SentRequest } from './request-rules.fixture';
import { writeGeminiRequest } from './write-request';

test('bounds the bytes of all that we say ourselves', () => {
  fc.assert(
    fc.property(answeringConversation, (conversation) => {
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
