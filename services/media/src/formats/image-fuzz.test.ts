import { GatewayError } from '@gateway/errors';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { uploadOf } from '../domain/upload.fixture';
import { fitImageOrder } from '../images/rules/fit-image-order';
import { FEATURES } from '../images/rules/image-order.fixture';
import { boundOf, rateFor } from '../images/rules/image-price';
import type { ImageRequest } from '../images/rules/image-request';
import { mutated } from '../testing/mutated';
import { parseImageEdit } from './image-edit';
import { parseImageGeneration } from './image-generation';

const PRICING = {
  per_image: [],
  text_input: 5_000_000_000n,
  image_input: 8_000_000_000n,
  image_output: 40_000_000_000n,
};
const REFUSALS = ['invalid_request', 'missing_parameter', 'invalid_model', 'image_generation_failed'];
const WHOLE = {
  model: 'sim/image',
  prompt: 'A cat.',
  n: 2,
  size: '1024x1024',
  quality: 'high',
  output_format: 'webp',
  output_compression: 50,
  background: 'transparent',
  response_format: 'url',
  user: 'u',
};

/** A request is rejected with one of these codes or has a finite cost bound. */
function judge(parse: () => ImageRequest): void {
  try {
    const order = fitImageOrder(parse(), FEATURES);
    const { costNano, promptTokens, outputTokens } = boundOf(
      order,
      rateFor(order, { features: FEATURES, pricing: PRICING }),
    );
    expect(costNano).toBeGreaterThan(0n);
    expect(Number.isSafeInteger(promptTokens + outputTokens)).toBe(true);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    expect(REFUSALS).toContain(error.code);
  }
}

test('any value in a generation request gives a known error or a finite bound', () => {
  const values = fc.oneof(
    fc.jsonValue(),
    fc.integer(),
    fc.constantFrom('0x0', '1e3', '99999x99999', '__proto__', '1024x1024x1024', 'auto', '\u0000', '\ud800'),
  );
  const key = fc.oneof(
    fc.constantFrom(...Object.keys(WHOLE), '__proto__', 'constructor', 'stream'),
    fc.string(),
  );
  fc.assert(
    fc.property(key, values, fc.array(fc.nat(20), { maxLength: 3 }), (name, by, path) => {
      const named = JSON.stringify({ ...WHOLE, [name]: by });
      judge(() => parseImageGeneration(Buffer.from(named)));
      judge(() => parseImageGeneration(Buffer.from(JSON.stringify(mutated(WHOLE, path, by)) ?? '')));
    }),
    { numRuns: 500 },
  );
});

test('any fields and files in an edit request give a known error or a finite bound', () => {
  const fields = fc.array(
    fc.tuple(
      fc.oneof(fc.constantFrom(...Object.keys(WHOLE), '__proto__', 'stream'), fc.string()),
      fc.string(),
    ),
  );
  const part = fc.constantFrom('image', 'image[]', 'mask', 'markup', 'other');
  const kind = fc.constantFrom('png', 'jpeg', 'webp', 'gif' as const);
  const files = fc.array(
    fc.tuple(part, kind).map(([name, is]) => uploadOf(name, 'x', is)),
    { maxLength: 20 },
  );
  const valid = [
    ['model', 'sim/image'],
    ['prompt', 'A hat.'],
  ] as const;
  fc.assert(
    fc.property(fields, files, (more, uploads) => {
      judge(() => parseImageEdit(new Map([...valid, ...more]), uploads));
    }),
    { numRuns: 500 },
  );
});
