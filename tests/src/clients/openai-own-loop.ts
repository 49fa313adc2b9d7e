import { expect, test } from '@jest/globals';
import OpenAI from 'openai';
import { both, type ClientFixture, directivePrompt } from './client-fixture';
import type { Family } from './family';

/** Sends messages back unchanged, as the package's documentation shows. */
export function testOwnLoop({ model, signs }: Family, fixture: () => ClientFixture): void {
  if (!signs) return;
  test.each(both)('sends signatures back through a manual tool loop, $how', async ({ stream }) => {
    const tool_call = { name: 'weather', arguments: { city: 'Oslo' } };
    const prompt = directivePrompt({ thinking: 'Where?', tool_call, later: [{ text: 'Mild.' }] });
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: prompt }];
    const tools = [{ type: 'function' as const, function: { name: 'weather', parameters: TAKES_CITY } }];
    const { customer, system, charges } = fixture();
    const client = new OpenAI({
      apiKey: customer.apiKey,
      baseURL: `${system.stack.apiUrl}/v1`,
      maxRetries: 0,
    });
    const params = { model, messages, tools, reasoning_effort: 'high' as const };
    const reply = async () => {
      const completion = stream
        ? await client.chat.completions.stream(params).finalChatCompletion()
        : await client.chat.completions.create(params);
      return completion.choices[0]!.message;
    };
    const { result, metered } = await charges.check(model, async () => {
      const calling = await reply();
      const id = calling.tool_calls![0]!.id;
      messages.push(calling, { role: 'tool', tool_call_id: id, content: 'mild' });
      return reply();
    });
    expect(result.content).toBe('Mild.');
    expect(metered.map(({ signed_parts }) => signed_parts)).toEqual([0, 1]);
  });
}

const TAKES_CITY = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
