import type { Model__Output } from '@gateway/proto/generated/gateway/catalog/v1/Model';
import type { TokenPricing__Output } from '@gateway/proto/generated/gateway/catalog/v1/TokenPricing';
import { expect, test } from '@jest/globals';
import { fromProtoModel } from './from-proto-model';

const RATES = { rates: {}, serviceTiers: {}, longContextAboveTokens: 0, longContext: null, unitNano: {} };

/** Returns the price of a catalog entry with these rates and long-context rates. */
function priceOf(
  rates: Partial<TokenPricing__Output>,
  longContext?: Partial<TokenPricing__Output>,
  output = 'text',
) {
  const tokens = {
    ...RATES,
    ...rates,
    ...(longContext && { longContextAboveTokens: 500, longContext: { ...RATES, ...longContext } }),
  };
  const entry = {
    slug: 'sim/chat',
    status: 'MODEL_STATUS_ACTIVE',
    outputModalities: [output],
    capabilities: [],
    targets: [],
    createdAtMs: '0',
    image: null,
    video: null,
    pricing: { version: '7', tokens, image: null, video: null },
  } as unknown as Model__Output;
  return fromProtoModel(entry).pricing;
}

test('an entry without both an input and an output price has no token pricing', () => {
  expect(priceOf({ inputNano: '1' })).toBeUndefined();
  expect(priceOf({ inputNano: '1', outputNano: '2' })).toEqual({
    version: 7n,
    base: { input: 1n, output: 2n },
    serviceTiers: new Map(),
  });
});

test('prices that the long-context entry omits apply to long inputs too', () => {
  expect(priceOf({ inputNano: '1', outputNano: '2' }, { inputNano: '3' })?.base.long_context).toEqual({
    above_tokens: 500,
    input: 3n,
    output: 2n,
  });
});

test('prices per unit are those of every service tier', () => {
  const unitNano = { web_search: '10000000' };
  const serviceTiers = { flex: { ...RATES, inputNano: '1', outputNano: '1' } };
  const price = priceOf({ inputNano: '1', outputNano: '2', unitNano, serviceTiers });
  const units = { web_search: 10_000_000n };
  expect([price?.base.units, price?.serviceTiers.get('flex')?.units]).toEqual([units, units]);
});

test('the output of an embedding model is free without an output price', () => {
  expect(priceOf({ inputNano: '1' }, undefined, 'embedding')?.base).toEqual({
    input: 1n,
    output: 0n,
  });
});
