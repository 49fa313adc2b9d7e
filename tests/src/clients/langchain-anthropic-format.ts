import { expect, test } from '@jest/globals';
import { ChatAnthropic } from '@langchain/anthropic';
import { z } from 'zod';
import type { ClientFixture } from './client-fixture';
import type { Family } from './family';

export function testOtherFormat({ model }: Family, fixture: () => ClientFixture): void {
  test('reads a structured object by the jsonSchema method, streamed', async () => {
    const { charges, customer, system } = fixture();
    const { result } = await charges.check(model, async () => {
      const { apiKey } = customer;
      const chat = new ChatAnthropic({ model, apiKey, anthropicApiUrl: system.stack.apiUrl, maxRetries: 0 });
      const schema = z.object({ city: z.string(), tags: z.array(z.string()) });
      let last: unknown;
      const stream = chat.withStructuredOutput(schema, { method: 'jsonSchema' }).stream('The weather?');
      for await (const part of await stream) last = part;
      return last;
    });
    expect(result).toEqual({ city: 'text', tags: [] });
  });
}
