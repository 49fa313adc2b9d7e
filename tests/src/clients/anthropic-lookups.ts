import Anthropic from '@anthropic-ai/sdk';
import { expect, test } from '@jest/globals';
import type { ClientFixture } from './client-fixture';
import type { Family } from './family';

/** Tests calls of the official client other than messages. */
export function testLookups({ model }: Family, fixture: () => ClientFixture): void {
  const connect = () =>
    new Anthropic({
      apiKey: fixture().customer.apiKey,
      baseURL: fixture().system.stack.apiUrl,
      maxRetries: 0,
    });

  test('counts the tokens of a prompt', async () => {
    const messages = [{ role: 'user' as const, content: 'How long is this?' }];
    const { input_tokens } = await connect().messages.countTokens({ model, messages });
    expect(input_tokens).toBeGreaterThan(4);
    expect(input_tokens).toBeLessThan(20);
  });

  test('lists and retrieves models', async () => {
    const listed: string[] = [];
    for await (const { id } of connect().models.list({ limit: 1_000 })) listed.push(id);
    expect(listed).toContain(model);
    expect(await connect().models.retrieve(model)).toMatchObject({ id: model, type: 'model' });
  });
}
