import type { Pricing__Output } from '@gateway/proto/generated/gateway/catalog/v1/Pricing';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Prices } from './pricing';
import { fromProtoPrices, toProtoPrices } from './proto-prices';
import { AUDIO_RATE_NAMES, IMAGE_RATE_NAMES, TOKEN_RATE_NAMES } from './rates';

const nano = fc.bigInt(0n, 10n ** 18n);
const ratesOf = <Name extends string>(names: readonly Name[]) =>
  fc.record(Object.fromEntries(names.map((name) => [name, nano])) as Record<Name, typeof nano>, {
    requiredKeys: [],
  });
const tokenRates = ratesOf(TOKEN_RATE_NAMES);
const name = fc.stringMatching(/^[a-z]{1,8}$/);
const prices: fc.Arbitrary<Prices> = fc.record(
  {
    tokens: fc
      .record({
        rates: tokenRates,
        service_tiers: fc.dictionary(name, tokenRates),
        long: fc.option(fc.tuple(tokenRates, fc.nat())),
        units: fc.dictionary(name, nano),
      })
      .map(({ rates, long, ...pricing }) => ({
        ...rates,
        ...pricing,
        ...(long && { long_context: { ...long[0], above_tokens: long[1] } }),
      })),
    image: fc
      .tuple(ratesOf(IMAGE_RATE_NAMES), fc.array(fc.record({ size: name, quality: name, price: nano })))
      .map(([rates, per_image]) => ({ ...rates, per_image })),
    video: fc.record(
      { tiers: fc.array(name), default_tier: name, per_second: fc.dictionary(name, nano) },
      {
        requiredKeys: ['tiers', 'per_second'],
      },
    ),
    audio: ratesOf(AUDIO_RATE_NAMES),
  },
  { requiredKeys: [] },
);

/** Returns the message as a receiver decodes it. */
function received(message: object): Pricing__Output {
  const { tokens, image, video, audio } = message as Record<string, object | undefined>;
  const tokensOf = (value: object): object => {
    const { serviceTiers = {}, longContext, ...rest } = value as Record<string, object>;
    return {
      ...{ longContextAboveTokens: 0, unitNano: {}, rates: {}, ...rest },
      serviceTiers: Object.fromEntries(
        Object.entries(serviceTiers).map(([tier, sent]) => [tier, tokensOf(sent)]),
      ),
      longContext: longContext ? tokensOf(longContext) : null,
    };
  };
  return {
    tokens: tokens ? tokensOf(tokens) : null,
    image: image ? { rates: {}, ...image } : null,
    video: video ?? null,
    audio: audio ? { rates: {}, ...audio } : null,
  } as unknown as Pricing__Output;
}

/** Returns a copy without the members that are accepted by the filter. */
const without = (value: unknown, isLeftOut: (member: string) => boolean): object =>
  JSON.parse(JSON.stringify(value, (member, inner) => (isLeftOut(member) ? undefined : inner)));

test('prices are the same after a message', () => {
  fc.assert(
    fc.property(prices, (sent) => {
      expect(fromProtoPrices(received(toProtoPrices(sent)))).toEqual(sent);
    }),
  );
});

test('prices are read from a message of the release before, which has only the fields', () => {
  fc.assert(
    fc.property(prices, (sent) => {
      const message = without(toProtoPrices(sent), (member) => member === 'rates');
      expect(fromProtoPrices(received(message))).toEqual(sent);
    }),
  );
});

test('prices are read from a message of a later release, which has only the map', () => {
  const fields = /^(?!price|perSecond|unit).*Nano$/;
  fc.assert(
    fc.property(prices, (sent) => {
      const message = without(toProtoPrices(sent), (member) => fields.test(member));
      expect(fromProtoPrices(received(message))).toEqual(sent);
    }),
  );
});

test('a rate that this release does not know is left out', () => {
  const message = { tokens: { inputNano: '5', rates: { input: '7', unknown_rate: '9' } } };
  expect(fromProtoPrices(received(message)).tokens).toEqual({ input: 7n, service_tiers: {}, units: {} });
});

test('the fields have the names that the release before reads', () => {
  const rates = Object.fromEntries(TOKEN_RATE_NAMES.map((rate) => [rate, 1n]));
  const { tokens } = toProtoPrices({ tokens: { ...rates, service_tiers: {}, units: {} } });
  expect(Object.keys(tokens ?? {})).toEqual(
    expect.arrayContaining([
      'audioCacheReadNano',
      'audioInputNano',
      'audioOutputNano',
      'cacheReadNano',
      'cacheWriteLongNano',
      'cacheWriteNano',
      'inputNano',
      'outputNano',
    ]),
  );
});
