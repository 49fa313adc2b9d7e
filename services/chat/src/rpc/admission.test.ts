import type { ReserveClient, UsageRelay } from '@gateway/metering';
import type { RequestContext } from '@gateway/runtime';
import { describe, expect, test } from '@jest/globals';
import type { Model } from '../domain/model';
import { boundOf } from '../domain/price';
import type { Journal } from '../journal/journal';
import { Admission, type AdmissionRequest } from './admission';

const PRICE = { inputNano: 1_000_000n, outputNano: 4_000_000n };
const INPUT_TOKENS = 100;

/** A call of 1,000 tokens of output in each choice, and what is held beside them for a prediction. */
function request(choices: number, predictionBytes: number): AdmissionRequest {
  const outputTokens = (1_000 + predictionBytes) * choices;
  return {
    key: {} as AdmissionRequest['key'],
    model: { slug: 'sim/chat', maxOutputTokens: 2_000 } as Model,
    provider: 'sim',
    endpoint: '/v1/chat/completions',
    streamed: false,
    price: PRICE,
    standardPrice: undefined,
    priceVersion: 1n,
    bound: {
      inputTokens: INPUT_TOKENS,
      outputTokens,
      costNano: boundOf(INPUT_TOKENS, outputTokens, PRICE),
      floorOutputTokens: 1,
      floorCostNano: 1n,
    },
    choices,
    predictionBytes,
    callerNamedMaximum: false,
    isLast: true,
  };
}

/** What becomes of it when billing holds enough for so much output of all choices. */
async function admittedFor(asked: AdmissionRequest, heldTokens: number, grantedTokens = 1_000_000) {
  const grant = {
    holdNano: boundOf(INPUT_TOKENS, heldTokens, PRICE).toString(),
    grantedTokens: String(grantedTokens),
  };
  const reserved: Record<string, unknown>[] = [];
  const admission = new Admission({
    reserve: {
      reserveSettled: async (asks: Record<string, unknown>) => {
        reserved.push(asks);
        return grant;
      },
    } as unknown as ReserveClient,
    journal: { admits: true, owner: { id: 'me', epoch: 1n } } as unknown as Journal,
    relay: { admits: () => true } as unknown as UsageRelay,
  });
  const context = { requestId: 'request-1' } as RequestContext;
  const { loweredMaxTokens, outputTokens, headers } = await admission.admit(context, asked);
  const { boundTokens, floorTokens } = reserved[0]!;
  return { loweredMaxTokens, outputTokens, told: headers['x-gateway-max-tokens'], boundTokens, floorTokens };
}

describe('the maximum that is sent upstream', () => {
  test('stays as it is when all of the bound is held', async () => {
    expect(await admittedFor(request(2, 50), 2_100)).toMatchObject({
      loweredMaxTokens: undefined,
      outputTokens: 2_100,
      told: undefined,
    });
  });

  test('is each choice’s share of what is held', async () => {
    expect(await admittedFor(request(2, 0), 501)).toMatchObject({
      loweredMaxTokens: 250,
      outputTokens: 500,
      told: '250',
    });
  });

  test('leaves what a wrong prediction may cost beside it', async () => {
    expect(await admittedFor(request(1, 300), 400)).toMatchObject({
      loweredMaxTokens: 100,
      outputTokens: 400,
      told: '100',
    });
    expect(await admittedFor(request(2, 300), 800)).toMatchObject({ loweredMaxTokens: 100 });
  });

  test('is no more than the model has, where the context alone is the end of what was asked for', async () => {
    const asked = request(1, 0);
    const openEnded = { ...asked, bound: { ...asked.bound, outputTokens: 10_000 } };
    expect(await admittedFor(openEnded, 5_000)).toMatchObject({
      loweredMaxTokens: 2_000,
      outputTokens: 2_000,
      told: '2000',
    });
  });

  test('is what its key’s minute has left beside an estimate of the input', async () => {
    const asked = request(1, 0);
    const estimated = { ...asked, bound: { ...asked.bound, rateInputTokens: 30 } };
    expect(await admittedFor(estimated, 1_000, 530)).toMatchObject({
      boundTokens: 1030,
      floorTokens: 31,
      loweredMaxTokens: 500,
    });
    expect(await admittedFor(asked, 1_000, 530)).toMatchObject({
      boundTokens: 1100,
      floorTokens: 101,
      loweredMaxTokens: 430,
    });
  });
});
