import type { AudioRates } from '@gateway/pricing';
import { describe, expect, test } from '@jest/globals';
import type { AudioOffer } from '../../domain/model';
import { chargeOf, costOf, rateOf, speechSizes, transcriptionSizes } from './audio-price';

const offer = (pricing: AudioRates, more: Partial<AudioOffer> = {}): AudioOffer => ({
  contextLength: 0,
  maxOutputTokens: 0,
  pricing,
  ...more,
});
const CHARACTERS = rateOf(offer({ million_characters: 15_000_000_000n }));
const HOUR = rateOf(offer({ hour: 120_000_000n }));
const TOKENS = offer({ text_input: 600_000_000n, audio_output: 12_000_000_000n });

describe('speech', () => {
  test('is priced by code points, which are its bound', () => {
    const { maximum } = speechSizes({ input: 'a🙂ß' }, TOKENS);
    expect([maximum.characters, costOf(CHARACTERS, maximum)]).toEqual([3, 45_000n]);
  });

  test('has a token for each byte of text and ten for each character of audio as its bound', () => {
    const { maximum, expected } = speechSizes({ input: 'aß', instructions: 'b' }, TOKENS);
    expect(maximum.tokens).toEqual({ textInput: 260, audioInput: 0, textOutput: 0, audioOutput: 270 });
    expect(costOf(rateOf(TOKENS), maximum)).toBe(260n * 600n + 270n * 12_000n);
    expect(expected.tokens).toMatchObject({ textInput: 1, audioOutput: 3 });
  });

  test('may take longer if it is slower, and no less if it is faster', () => {
    const output = (speed: number) => speechSizes({ input: 'a', speed }, TOKENS).maximum.tokens.audioOutput;
    expect([output(0.25), output(1), output(4)]).toEqual([1_040, 260, 260]);
  });

  test("is bounded by the model's own limits", () => {
    const limited = { ...TOKENS, contextLength: 100, maxOutputTokens: 200 };
    expect(speechSizes({ input: 'x'.repeat(4_096) }, limited).maximum.tokens).toMatchObject({
      ...{ textInput: 100, audioOutput: 200 },
    });
  });

  test('is charged by the reported tokens, else by the expected ones', () => {
    const rate = rateOf(TOKENS);
    const { expected } = speechSizes({ input: 'x'.repeat(100) }, TOKENS);
    const tokens = { textInput: 7, audioInput: 0, textOutput: 0, audioOutput: 9 };
    expect(chargeOf(rate, { tokens }, expected)).toEqual({
      ...{ costNano: 7n * 600n + 9n * 12_000n, source: 'provider', units: { character: 100 } },
      tokens: { input: 7, output: 9 },
    });
    expect(chargeOf(rate, {}, expected)).toMatchObject({
      ...{ costNano: 25n * 600n + 130n * 12_000n, source: 'counted', tokens: { input: 25, output: 130 } },
    });
  });
});

describe('a transcription', () => {
  const sizes = (more: Partial<AudioOffer> = {}) =>
    transcriptionSizes({ audioMs: 2_500, measuredMs: 1_500, promptBytes: 4 }, offer({}, more));

  test('is priced by the hour, rounded up to a nano-dollar once', () => {
    expect(costOf(HOUR, sizes().maximum)).toBe(83_334n);
    expect(chargeOf(HOUR, { audioMs: 1_000 }, sizes().expected)).toEqual({
      ...{ costNano: 33_334n, source: 'provider', units: { audio_second: 1 } },
    });
  });

  test.each([[undefined], [-1], [Number.NaN], [1e12]])(
    'is charged by the measured duration if the provider reports %p',
    (audioMs) => {
      const reported = audioMs === undefined ? {} : { audioMs };
      expect(chargeOf(HOUR, reported, sizes().expected)).toEqual({
        ...{ costNano: 50_000n, source: 'counted', units: { audio_second: 2 } },
      });
    },
  );

  test("has 25 tokens of audio and ten of text a second as its bound, up to the model's limits", () => {
    expect(sizes().maximum.tokens).toEqual({
      ...{ textInput: 260, audioInput: 75, textOutput: 286, audioOutput: 0 },
    });
    expect(sizes({ contextLength: 50, maxOutputTokens: 60 }).maximum.tokens).toEqual({
      ...{ textInput: 50, audioInput: 50, textOutput: 60, audioOutput: 0 },
    });
  });
});
