import { describe, expect, test } from '@jest/globals';
import { expectConforms, type Particulars } from '../support/conforms';
import { CHAT_FORMATS, EMBEDDINGS, MODERATIONS, RERANK, RESPONSES, TEXT_COMPLETIONS } from './caller';
import type { World } from './case';
import {
  balancesUsd,
  callWith,
  EMBEDDING_FAULTS,
  FAULTS,
  type Fault,
  IMAGE_FAULTS,
  MODERATION_FAULTS,
  RERANK_FAULTS,
  SPEECH_FAULTS,
  TEXT_COMPLETION_FAULTS,
  VIDEO_FAULTS,
} from './precedence';

const IMAGES = {
  path: '/v1/images',
  body: (fields?: object) => ({ model: 'openai/gpt-image-1.5', prompt: 'A cat.', ...fields }),
};
const SPEECH = {
  path: '/v1/audio/speech',
  body: (fields?: object) => ({ model: 'sim/speech-tokens', input: 'Hello', voice: 'alloy', ...fields }),
};
const VIDEOS = {
  path: '/v1/videos/sim/create',
  body: (fields?: object) => ({ model: 'sim/video', prompt: 'A cat.', ...fields }),
};

/** Tests which error is returned, for every pair of errors that a call can have. */
export function testPrecedence(world: () => World): void {
  describe.each(CHAT_FORMATS)('POST $path', (endpoint) => {
    const missing = endpoint === RESPONSES ? 'input' : 'messages';
    for (const [place, wins] of FAULTS.entries()) {
      for (const loses of FAULTS.slice(place + 1)) {
        test.concurrent(`${wins.code} takes precedence over ${loses.code}`, async () => {
          const answer = await callWith(world(), endpoint, [wins, loses]);
          expectConforms(answer, wins.code, particularsOf(wins, loses, missing));
        });
      }
    }
  });

  describe.each([
    {
      path: TEXT_COMPLETIONS.path,
      endpoint: TEXT_COMPLETIONS,
      faults: TEXT_COMPLETION_FAULTS,
      missing: 'prompt',
    },
    { path: EMBEDDINGS.path, endpoint: EMBEDDINGS, faults: EMBEDDING_FAULTS, missing: 'input' },
    { path: MODERATIONS.path, endpoint: MODERATIONS, faults: MODERATION_FAULTS, missing: 'input' },
    { path: RERANK.path, endpoint: RERANK, faults: RERANK_FAULTS, missing: 'documents' },
    { path: IMAGES.path, endpoint: IMAGES, faults: IMAGE_FAULTS, missing: 'prompt' },
    { path: SPEECH.path, endpoint: SPEECH, faults: SPEECH_FAULTS, missing: 'voice' },
    { path: VIDEOS.path, endpoint: VIDEOS, faults: VIDEO_FAULTS, missing: 'prompt' },
  ])('POST $path', ({ endpoint, faults, missing }) => {
    // Adjacent pairs only: chat's pairs show that precedence is transitive.
    for (const [place, loses] of faults.slice(1).entries()) {
      const wins = faults[place]!;
      test.concurrent(`${wins.code} takes precedence over ${loses.code}`, async () => {
        const answer = await callWith(world(), endpoint, [wins, loses]);
        expectConforms(answer, wins.code, particularsOf(wins, loses, missing));
      });
    }
  });

  test('none of the refused calls cost anything', async () => {
    const balances = await balancesUsd(world());
    expect(balances.length).toBeGreaterThan(2);
    for (const { had, has } of balances) expect(has).toBe(had);
  });

  test('insufficient_balance takes precedence over an exhausted daily limit', async () => {
    const { system, caller } = world();
    const customer = await system.provision({ balanceUsd: 0.000_5, key: { daily_limit: 0.000_5 } });
    const content = '[[sim {"usage":{"prompt_tokens":100,"completion_tokens":100}}]]';
    const spending = await caller.chat(customer.apiKey, { messages: [{ role: 'user', content }] });
    expect(spending.status).toBe(200);
    expect((await system.settled(customer)).balance).toBe(0);
    expectConforms(await caller.chat(customer.apiKey), 'insufficient_balance');
  });

  test('an invalid value in the body takes precedence over a missing one, wherever they are', async () => {
    const { caller, customer } = world();
    const messages = [{ role: 'user' }, { role: 'user', content: 7 }];
    expectConforms(await caller.chat(customer.apiKey, { messages }), 'invalid_request');
    expectConforms(
      await caller.chat(customer.apiKey, { model: undefined, colour: 'red' }),
      'invalid_request',
    );
  });
}

function particularsOf(wins: Fault, loses: Fault, missing: string): Particulars {
  if (wins.code === 'missing_parameter') return { param: missing };
  if (wins.code.endsWith('_generation_failed')) return { shouldRetry: 'false' };
  // The key has one token per minute, so no wait admits the call, whatever else limits its rate.
  const hopeless = wins.code === 'tpm_rate_limited' || loses.code === 'tpm_rate_limited';
  const byRate = wins.code === 'tpm_rate_limited' || wins.code === 'rpm_rate_limited';
  return hopeless && byRate ? { retryAfter: 'never', shouldRetry: 'false' } : {};
}
