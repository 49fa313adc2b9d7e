import { expect, test } from '@jest/globals';
import type { ApiFormat } from './conversation';
import { usageIsHidden } from './hidden-usage';

const SIZE = { bodyBytes: 10, hasMedia: false, choices: 1, predictionBytes: 0 };
const on = (...wires: ApiFormat[]) => wires.map((wire) => ({ provider: { wire } }));

test.each([
  ['reasoning that is not shown', true, SIZE, on('anthropic'), true],
  ['text of a model without hidden reasoning (none)', false, SIZE, on('openai'), false],
  [
    'files sent in a format that reports the input last',
    false,
    { ...SIZE, hasMedia: true },
    on('openai'),
    true,
  ],
  [
    'PDFs sent in a format that reports the input last',
    false,
    { ...SIZE, pdfs: ['JVBERi0x'] },
    on('openai'),
    true,
  ],
  [
    'images when the format of any target reports the input last',
    false,
    { ...SIZE, images: 1 },
    on('gemini', 'openai'),
    true,
  ],
  ["images sent in Cohere's format", false, { ...SIZE, images: 1 }, on('cohere'), true],
  [
    'images sent to Bedrock, which reports the input last',
    false,
    { ...SIZE, images: 1 },
    on('bedrock'),
    true,
  ],
  [
    'images sent in formats that report the input first (none)',
    false,
    { ...SIZE, images: 1 },
    on('anthropic', 'gemini'),
    false,
  ],
])('detects hidden usage of %s', (_what, hidesReasoning, size, routes, expected) => {
  expect(usageIsHidden({ hidesReasoning }, size, routes)).toBe(expected);
});
