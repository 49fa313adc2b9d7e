import { describe, expect, test } from '@jest/globals';
import type { Model } from './model';
import { upperBound } from './upper-bound';

const price = { input: 1_000_000_000n, output: 4_000_000_000n };
const model: Model = {
  slug: 'sim/chat',
  name: 'Chat',
  active: true,
  preview: false,
  outputModalities: ['text'],
  hidesReasoning: false,
  contextLength: 10_000,
  maxOutputTokens: 4_000,
  outputFloorTokens: 16,
  maxImageTokens: 0,
  capabilities: new Set(),
  targets: [],
  strategy: 'weighted',
  fallbackModels: [],
  createdAtMs: 0,
};
const size = { bodyBytes: 500, hasMedia: false, choices: 1, predictionBytes: 0 };

test('the input is bounded by its bytes, the output by the model’s maximum', () => {
  expect(upperBound(model, price, size)).toMatchObject({
    inputTokens: 500,
    outputTokens: 4_000,
    floorOutputTokens: 16,
  });
});

test('an output without a maximum is bounded by the context length', () => {
  expect(upperBound(model, price, { ...size, openEnded: true })).toMatchObject({
    outputTokens: 10_000,
    floorOutputTokens: 16,
  });
});

describe('instructions that the provider adds', () => {
  test('are added to the bounded or counted input', () => {
    const hidden = { ...size, hiddenInputTokens: 900 };
    expect(upperBound(model, price, hidden).inputTokens).toBe(1_400);
    expect(upperBound(model, price, hidden, 100).inputTokens).toBe(1_000);
  });

  test('never raise the bound above the context length', () => {
    expect(upperBound(model, price, { ...size, bodyBytes: 9_900, hiddenInputTokens: 900 }).inputTokens).toBe(
      10_000,
    );
    expect(upperBound(model, price, { ...size, hasMedia: true, hiddenInputTokens: 900 }).inputTokens).toBe(
      10_000,
    );
  });
});

describe('images', () => {
  const images = { ...size, bodyBytes: 5_000, images: 2, imageBytes: 4_800 };

  test('count as the catalog’s maximum, regardless of their bytes', () => {
    const seeing = { ...model, maxImageTokens: 1_000 };
    expect(upperBound(seeing, price, images).inputTokens).toBe(2_200);
    expect(upperBound(seeing, price, images, 50).inputTokens).toBe(2_050);
    expect(upperBound(seeing, price, { ...images, images: 20 }).inputTokens).toBe(10_000);
  });

  test('are bounded by the context length if the catalog has no maximum', () => {
    expect(upperBound(model, price, images).inputTokens).toBe(10_000);
  });
});

describe('PDFs', () => {
  const pdfs = { ...size, bodyBytes: 5_000, pdfs: ['JVBERi0x'], pdfBytes: 4_800 };
  const seeing = { ...model, maxImageTokens: 1_000 };

  test('count as their text and an image for each page, regardless of their bytes', () => {
    const read = { ...pdfs, pdf: { pages: 3, textTokens: 700 } };
    expect(upperBound(seeing, price, read).inputTokens).toBe(200 + 700 + 3_000);
    expect(upperBound(seeing, price, { ...read, images: 1 }).inputTokens).toBe(200 + 700 + 4_000);
    expect(upperBound(seeing, price, read, 50).inputTokens).toBe(50 + 700 + 3_000);
    expect(upperBound(seeing, price, { ...read, pdf: { pages: 30, textTokens: 0 } }).inputTokens).toBe(
      10_000,
    );
  });

  test('are bounded by the context length if they were not read or images have no maximum', () => {
    expect(upperBound(seeing, price, pdfs).inputTokens).toBe(10_000);
    expect(upperBound(model, price, { ...pdfs, pdf: { pages: 1, textTokens: 1 } }).inputTokens).toBe(10_000);
    expect(
      upperBound(seeing, price, { ...pdfs, hasMedia: true, pdf: { pages: 1, textTokens: 1 } }).inputTokens,
    ).toBe(10_000);
  });
});

describe('a thinking budget', () => {
  test('raises the minimum output above the budget', () => {
    const thinking = { ...size, thinkingBudgetTokens: 2_000 };
    expect(upperBound(model, price, thinking).floorOutputTokens).toBe(2_001);
    expect(upperBound({ ...model, outputFloorTokens: 3_000 }, price, thinking).floorOutputTokens).toBe(3_000);
  });

  test('never raises the minimum output above the maximum', () => {
    const thinking = { ...size, thinkingBudgetTokens: 2_000, maxOutputTokens: 1_000 };
    expect(upperBound(model, price, thinking).floorOutputTokens).toBe(1_000);
  });
});

describe('audio', () => {
  const spoken = { ...price, audio_input: 10_000_000_000n, audio_output: 20_000_000_000n };
  const audio = { seconds: 10, bytes: 300, replies: 0 };

  test('is bounded by its duration at the usual rate, and its bytes are no text', () => {
    const bound = upperBound(model, price, { ...size, audio });
    expect(bound).toMatchObject({ inputTokens: 200 + 320, audioTokens: 320 });
  });

  test("is bounded at the rate of the call's providers", () => {
    const bound = upperBound(model, price, { ...size, audio, audioTokensPerSecond: 10 });
    expect(bound).toMatchObject({ inputTokens: 200 + 100, audioTokens: 100 });
  });

  test("is bounded by the model's maximum output for each earlier reply, and never beyond the context", () => {
    const replies = (count: number) =>
      upperBound(model, price, { ...size, audio: { ...audio, replies: count } });
    expect(replies(1)).toMatchObject({ inputTokens: 200 + 320 + 4_000, audioTokens: 4_320 });
    expect(replies(5)).toMatchObject({ inputTokens: 10_000, audioTokens: 10_000 });
  });

  test('may be all of a prompt with media of an unknown size', () => {
    expect(upperBound(model, price, { ...size, hasMedia: true })).toMatchObject({ audioTokens: 10_000 });
  });

  test('is counted again after each search that returns its results to the model', () => {
    const searching = { ...size, audio, webSearches: 2, searchResultTokens: 100 };
    expect(upperBound(model, price, searching).audioTokens).toBe(960);
  });

  test('is priced at the highest rate that it may have, and a spoken reply too', () => {
    const { costNano } = upperBound(model, spoken, { ...size, audio, speaks: true, maxOutputTokens: 10 });
    expect(costNano).toBe(200_000n + 3_200_000n + 200_000n);
  });
});
