import { expect, test } from '@jest/globals';
import { generateServiceAccount } from '../providers/vertex/service-account.fixture';
import { CALLS, providerOf, receivedBy } from './upstream-request.fixture';

const LINE = 'x-anthropic-billing-header: cc_version=2.1.77.a1b; cc_entrypoint=cli; cch=0a1b2;';
const block = (text: string) => ({ type: 'text', text });
const SYSTEMS = [
  [block(LINE), block('You write code.')],
  [block(`${LINE}\nYou write code.`)],
  `${LINE}\nYou write code.`,
];
const messages = [{ role: 'user', content: 'hi' }];

test.each(SYSTEMS)(
  'the billing line of Claude Code reaches no provider but Anthropic, given %j',
  (system) => {
    const others = [
      providerOf('openai'),
      providerOf('mistral'),
      providerOf('cohere'),
      providerOf('gemini'),
      providerOf('bedrock', { region: 'us-east-1' }),
      providerOf('anthropic', { preset: 'minimax' }),
      providerOf('vertex-anthropic', { project: 'p' }, generateServiceAccount().json),
    ];
    for (const provider of others) {
      const body = JSON.stringify(receivedBy(provider, CALLS.messages({ system, messages })));
      expect([provider.id, body.includes('You write code.'), body.includes('cch=')]).toEqual([
        provider.id,
        true,
        false,
      ]);
    }
    expect(receivedBy(providerOf('anthropic'), CALLS.messages({ system, messages })).system).toEqual(system);
  },
);

test('instructions of the line alone are left out', () => {
  for (const system of [LINE, [block(LINE)]]) {
    for (const provider of [providerOf('openai'), providerOf('anthropic', { preset: 'minimax' })]) {
      const body = receivedBy(provider, CALLS.messages({ system, messages }));
      expect(body.system).toBeUndefined();
      expect(body.messages).toEqual(messages);
    }
  }
});
