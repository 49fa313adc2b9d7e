import { expect, test } from '@jest/globals';
import type { Wire } from './conversation';
import { usageIsHidden } from './hidden-usage';

const SIZE = { bodyBytes: 10, hasMedia: false, choices: 1, predictionBytes: 0 };
const on = (...wires: Wire[]) => wires.map((wire) => ({ provider: { wire } }));

test.each([
  ['reasoning that is not shown', true, SIZE, on('anthropic'), true],
  ['text of a model that shows all it says', false, SIZE, on('openai'), false],
  ['files, by a format that reports the input last', false, { ...SIZE, hasMedia: true }, on('openai'), true],
  ['PDFs, by such a format', false, { ...SIZE, pdfs: ['JVBERi0x'] }, on('openai'), true],
  ['images, by such a format on any target', false, { ...SIZE, images: 1 }, on('gemini', 'openai'), true],
  [
    'images, by formats that report the input first',
    false,
    { ...SIZE, images: 1 },
    on('anthropic', 'gemini'),
    false,
  ],
])('only the provider knows what it uses: %s', (_what, hidesReasoning, size, routes, expected) => {
  expect(usageIsHidden({ hidesReasoning }, size, routes)).toBe(expected);
});
