import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import type { ImageFeatures } from '../../domain/model';
import { type FittedImageOrder, fitImageOrder } from './fit-image-order';
import { FEATURES } from './image-order.fixture';
import type { ImageSize } from './image-provider';
import {
  MAX_IMAGE_FILE_BYTES,
  MAX_IMAGE_REPLY_BYTES,
  maxReplyBytesOf,
  replyBytesOf,
} from './image-reply-bytes';
import { parseImageSize } from './image-size';

const CATALOG = path.join(__dirname, '../../../../../deploy/catalog');
/** Overhead of PNG chunks and uncompressed blocks at the smallest size that encoders use. */
const CHUNK_BYTES = 8_192;
const CHUNK_FRAME_BYTES = 12;
/** Generous allowance for provenance metadata and other fields of the response. */
const BESIDE_BYTES = 200_000;

interface SeedImage {
  readonly sizes: readonly string[];
  readonly size_rule?: Readonly<
    Record<'step_px' | 'max_edge_px' | 'max_ratio' | 'min_pixels' | 'max_pixels', number>
  >;
  readonly default_size: string;
  readonly formats: readonly string[];
  readonly qualities?: readonly string[];
  readonly max_n: number;
}

const entries = readdirSync(CATALOG)
  .flatMap((file) => JSON.parse(readFileSync(path.join(CATALOG, file), 'utf8')).models)
  .filter(({ image }) => image)
  .map(({ slug, image }): [string, ImageFeatures] => [slug, toFeatures(image)]);

function toFeatures({ size_rule: rule, ...image }: SeedImage): ImageFeatures {
  const { sizeRule: _rule, ...features } = FEATURES;
  return {
    ...features,
    sizes: image.sizes,
    defaultSize: image.default_size,
    formats: image.formats,
    maxN: image.max_n,
    ...(rule && {
      sizeRule: {
        stepPx: rule.step_px,
        maxEdgePx: rule.max_edge_px,
        maxRatio: rule.max_ratio,
        minPixels: rule.min_pixels,
        maxPixels: rule.max_pixels,
      },
    }),
  };
}

/** Returns every listed size, and of the sizes within the rule every fifth edge and the longest. */
function sizesOf({ sizes, sizeRule }: ImageFeatures): ImageSize[] {
  const listed = sizes.flatMap((size) => parseImageSize(size) ?? []);
  if (!sizeRule) return listed;
  const { stepPx, maxEdgePx, maxPixels } = sizeRule;
  const edges: number[] = [];
  for (let edge = maxEdgePx; edge >= stepPx; edge -= 5 * stepPx) edges.push(edge);
  const all = edges.flatMap((width) => edges.map((height) => ({ width, height })));
  return [...listed, ...all.filter(({ width, height }) => width * height <= maxPixels)];
}

/** Returns the bytes of incompressible pixels with an alpha channel, with the most framing overhead. */
function noiseBytes({ width, height }: ImageSize, format: string): number {
  const rows = height * (1 + width * (format === 'jpeg' ? 3 : 4));
  return rows + Math.ceil(rows / CHUNK_BYTES) * CHUNK_FRAME_BYTES + 5 * Math.ceil(rows / 65_535);
}

function accepted(
  features: ImageFeatures,
  size: ImageSize,
  format: string,
  n: number,
): FittedImageOrder | undefined {
  const request = {
    model: 'm',
    prompt: 'x',
    n,
    size,
    format,
    streamed: false,
    hints: {},
    unsupportedFields: [],
    edit: false,
    images: [],
  };
  try {
    return fitImageOrder({ ...request, quality: 'low' }, features);
  } catch {
    return undefined;
  }
}

describe.each(entries)('%s', (_slug, features) => {
  test('no reply to an accepted order can exceed the read limit', () => {
    let orders = 0;
    for (const size of sizesOf(features)) {
      for (const format of features.formats) {
        for (let n = features.maxN; n > 0; n--) {
          const order = accepted(features, size, format, n);
          if (!order) continue;
          orders++;
          const file = noiseBytes(size, format) + BESIDE_BYTES * 0.75;
          if (n * Math.ceil(file / 3) * 4 > MAX_IMAGE_REPLY_BYTES)
            throw new Error(JSON.stringify([size, format, n]));
          if (n === 1 && file > MAX_IMAGE_FILE_BYTES) throw new Error(JSON.stringify([size, format]));
          // Fewer images are smaller.
          break;
        }
      }
    }
    expect(orders).toBeGreaterThanOrEqual(features.sizes.length);
  });

  test('every listed size is accepted in every format', () => {
    for (const text of features.sizes) {
      for (const format of features.formats) {
        expect([text, accepted(features, parseImageSize(text)!, format, 1)?.n]).toEqual([text, 1]);
      }
    }
  });
});

test('at the largest size three PNGs or four JPEGs are accepted, ten are rejected', () => {
  const [, features] = entries.find(([slug]) => slug === 'openai/gpt-image-2')!;
  const largest = { width: 3_840, height: 2_160 };
  const most = (format: string) =>
    Array.from({ length: 10 }, (_, at) => at + 1).findLast((n) => accepted(features, largest, format, n));
  expect([most('png'), most('webp'), most('jpeg')]).toEqual([3, 3, 4]);
  expect(accepted(features, { width: 1_536, height: 1_024 }, 'png', 10)).toBeDefined();
});

test('real compressed noise is no larger than the estimated maximum', () => {
  const size = { width: 512, height: 256 };
  const rows = randomBytes(size.height * (1 + 4 * size.width));
  for (const level of [0, 1, 9]) {
    const base64 = deflateSync(rows, { level }).toString('base64').length;
    expect(base64).toBeLessThanOrEqual(maxReplyBytesOf({ n: 1, size, format: 'png' }));
  }
});

test('the usual reply size is below the maximum', () => {
  const size = { width: 1_024, height: 1_024 };
  expect(replyBytesOf({ n: 2, size })).toBeLessThan(maxReplyBytesOf({ n: 2, size, format: 'jpeg' }));
  expect(replyBytesOf({ n: 2 })).toBe(replyBytesOf({ n: 2, size }));
});
