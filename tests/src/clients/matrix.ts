import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { z } from 'zod';
import type { MeterEntry } from '../support/meter';
import { type System, startSystem } from '../support/system';
import { ChargeVerifier } from './charge-verifier';
import type { Client, Question, SeenUsage, Tool } from './client';
import { both, type ClientFixture, directivePrompt } from './client-fixture';
import { testFailures } from './failures';
import { FAMILIES, type Family, thought } from './family';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const HEAVY = Boolean(process.env.TEST_HEAVY);
/** Generous: on a busy machine the first test of a client may wait long. */
const MAX_CELL_MS = 30_000;

export interface Tested {
  readonly client: Client;
  /** The only model of a normal run, if another client of the format tests all models; the heavy run has all. */
  readonly usualModel?: string;
  /** Its retries use the same code as another client's, so only the heavy run tests them. */
  readonly retriesLikeAnother?: true;
  /** Additional tests of this client with one family. */
  testMore?(family: Family, fixture: () => ClientFixture): void;
}

/** Tests every kind of call with every family, and its exact charge. The clients share a system. */
export function testClients(clients: readonly Tested[]): void {
  let system: System;
  jest.setTimeout(MAX_CELL_MS);

  beforeAll(async () => {
    system = await startSystem();
  }, 60_000);
  afterAll(() => system?.stop(), 30_000);

  describe.each(clients.map((tested) => ({ ...tested, name: tested.client.name })))('$name', (tested) => {
    testClient(tested, () => system);
  });

  test('after all calls the ledger has not drifted', async () => {
    expect(await system.drift()).toBe(0);
  });
}

function testClient(
  { client, usualModel, retriesLikeAnother, testMore }: Tested,
  system: () => System,
): void {
  let fixture: ClientFixture;
  const families = HEAVY || !usualModel ? FAMILIES : FAMILIES.filter(({ model }) => model === usualModel);

  beforeAll(async () => {
    const customer = await system().provision({ balanceUsd: 1_000 });
    const access = { apiUrl: system().stack.apiUrl, apiKey: customer.apiKey, maxRetries: 0 };
    const connection = client.connect(access);
    fixture = { system: system(), customer, charges: new ChargeVerifier(system(), customer), connection };
  }, 60_000);

  describe.each(families)('$model', (family) => {
    testAnswers(client, family, () => fixture);
    testTools(client, family, () => fixture);
    testLeaving(family, () => fixture);
    testMore?.(family, () => fixture);
  });
  testFailures(client, () => fixture, HEAVY || !retriesLikeAnother);
}

function testAnswers(client: Client, family: Family, fixture: () => ClientFixture): void {
  const { model, sees, thinks } = family;
  const ask = (question: Omit<Question, 'model'>) =>
    fixture().charges.check(model, () => fixture().connection.ask({ model, ...question }));

  test.each(both)('gets an answer, $how', async ({ stream }) => {
    const { result, metered } = await ask({
      prompt: directivePrompt({ text: 'Grüße, “world” 👋\n' }),
      system: 'Be brief.',
      stream,
    });
    expect(result).toMatchObject({ text: 'Grüße, “world” 👋\n', thinking: '', finish: client.finish.stop });
    expectUsage(client, result.usage, metered);
  });

  test.each(both)('gets an answer that is cut at its maximum, $how', async ({ stream }) => {
    const { result, metered } = await ask({ prompt: directivePrompt({ chunks: 90 }), maxTokens: 20, stream });
    expect(result.finish).toBe(client.finish.length);
    expect(metered[0]?.completion_tokens).toBe(20);
    expectUsage(client, result.usage, metered);
  });

  test.each(both)('gets cached and reasoning tokens, $how', async ({ stream }) => {
    const usage = {
      prompt_tokens: 900,
      completion_tokens: 70,
      cached_tokens: 300,
      cache_write_tokens: 200,
      reasoning_tokens: 40,
    };
    const { result, metered } = await ask({
      prompt: directivePrompt({ usage }, 'Pad. '.repeat(300)),
      stream,
    });
    expect(metered[0]).toMatchObject({ prompt_tokens: 900, cached_tokens: 300, reasoning_tokens: 40 });
    expectUsage(client, result.usage, metered);
  });

  if (thinks !== 'never') {
    test.each(both)('gets thinking, $how', async ({ stream }) => {
      const thinking = 'First this, then that.';
      const directive = { ...thought(family, thinking), text: 'So.' };
      const { result, metered } = await ask({ prompt: directivePrompt(directive), thinking: true, stream });
      expect(result.text).toBe('So.');
      expect(result.thinking).toBe(thinks === 'hidden' || client.hidesThinking ? '' : thinking);
      expect(metered[0]?.reasoning_tokens).toBeGreaterThan(0);
      expectUsage(client, result.usage, metered);
    });
  }

  if (sees) {
    test('sends an image', async () => {
      const { result, metered } = await ask({
        prompt: directivePrompt({ text: 'A dot.' }),
        image: PIXEL,
        stream: false,
      });
      expect(result.text).toBe('A dot.');
      // The simulator counts 85 tokens for an image.
      expect(metered[0]?.prompt_tokens).toBeGreaterThan(85);
    });
  }

  const objects = client.readsObjectsWhole ? both.filter(({ stream }) => !stream) : both;
  test.each(objects)('gets an object that matches a schema, $how', async ({ stream }) => {
    const schema = z.object({ city: z.enum(['Paris']), degrees: z.number(), tags: z.array(z.string()) });
    const { result } = await fixture().charges.check(model, () =>
      fixture().connection.askObject({ model, prompt: 'The weather?', stream }, schema),
    );
    expect(result).toEqual({ city: 'Paris', degrees: 0, tags: [] });
  });
}

function testTools(client: Client, family: Family, fixture: () => ClientFixture): void {
  const { model, thinks } = family;
  const call = (city: string) => ({ name: 'weather', arguments: { city } });
  const rounds = {
    ...thought(family, 'Paris first.'),
    tool_call: call('Paris'),
    later: [
      { ...thought(family, 'Two at once.'), text: 'On it.', tool_call: [call('Rome'), call('Oslo')] },
      { tool_call: call('“Kyïv”') },
      { ...thought(family, 'Enough.'), text: 'Mild everywhere.' },
    ],
  };

  test.each(both)('runs a tool loop of three rounds, $how', async ({ stream }) => {
    const seen: unknown[] = [];
    const weather: Tool = {
      name: 'weather',
      description: 'The weather of a city',
      input: z.object({ city: z.string() }),
      run(input) {
        seen.push(input);
        return `mild in ${(input as { city: string }).city}`;
      },
    };
    const question = {
      model,
      prompt: directivePrompt(rounds),
      stream,
      ...(thinks === 'shown' && { thinking: true as const }),
    };
    const { result, metered } = await fixture().charges.check(model, () =>
      fixture().connection.runTools(question, weather),
    );
    expect(seen).toEqual(['Paris', 'Rome', 'Oslo', '“Kyïv”'].map((city) => ({ city })));
    expect(result).toMatchObject({ text: 'Mild everywhere.', finish: client.finish.stop });
    expect(metered.map(({ status, stream }) => ({ status, stream }))).toEqual(
      Array(4).fill({ status: 200, stream }),
    );
    expect(metered.map(({ signed_parts }) => signed_parts)).toEqual(signedParts(client, family));
  });
}

/** Returns the number of signed parts in each of the loop's four requests. */
function signedParts({ drops = [] }: Client, { signs }: Family): readonly number[] {
  if (signs === undefined || drops.includes(signs)) return [0, 0, 0, 0];
  // The third reply calls a tool without thinking.
  return signs === 'thoughts' ? [0, 1, 2, 2] : [0, 1, 2, 3];
}

function testLeaving({ model, thinks }: Family, fixture: () => ClientFixture): void {
  const continues = thinks !== 'never';

  test('leaves a stream, which is billed as the provider metered it', async () => {
    const prompt = directivePrompt({ chunks: 200, chunk_delay_ms: 3 });
    const { result, metered } = await fixture().charges.check(model, () =>
      fixture().connection.leave({ model, prompt, stream: true }, 5),
    );
    expect(result).toMatch(/\w+ \w+/);
    expect(metered).toHaveLength(1);
    expect(metered[0]).toMatchObject({ finished: continues, aborted: !continues });
    expect(metered[0]?.completion_tokens).toBeGreaterThanOrEqual(5);
  });
}

/** Checks that the client reports the usage that the provider metered, as far as it has the fields. */
function expectUsage(client: Client, seen: SeenUsage, metered: readonly MeterEntry[]): void {
  expect(metered).toHaveLength(1);
  const [entry] = metered;
  const { reports, addsUsageOfStreams } = client;
  if (addsUsageOfStreams && entry?.stream) {
    expect([0, 1]).toContain(seen.output - entry.completion_tokens);
    return;
  }
  expect(seen).toEqual({
    input: entry?.prompt_tokens,
    output: entry?.completion_tokens,
    ...(reports.includes('cacheRead') && { cacheRead: entry?.cached_tokens }),
    ...(reports.includes('cacheWrite') && { cacheWrite: entry?.cache_write_tokens }),
    ...(reports.includes('reasoning') && { reasoning: entry?.reasoning_tokens }),
  });
}
