import type { ImagePricing } from '@gateway/pricing';
import type { Route } from '@gateway/upstream';
import { expect, test } from '@jest/globals';
import { targetOf } from '../../../../../packages/upstream/src/route.fixture';
import { anOrder, FEATURES } from './image-order.fixture';
import type { ImageOrder, ImageProvider } from './image-provider';
import { orderPartialImages } from './partial-images';

const BY_TOKEN: ImagePricing = { per_image: [], text_input: 1n, image_output: 1n };
const BY_IMAGE: ImagePricing = { per_image: [{ size: '', quality: '', price: 1n }] };
const SQUARE = { width: 1_024, height: 1_024 };

const routeTo = (sendsPartialImages: boolean) =>
  ({
    provider: { id: 'p', fetchesLinks: false, sendsPartialImages },
    target: targetOf('p', { upstreamModel: 'm', priority: 0 }),
  }) as unknown as Route<ImageProvider>;

const ordered = (
  fields: Partial<ImageOrder>,
  pricing = BY_TOKEN,
  routes = [routeTo(true)],
  partialImages = 2,
) =>
  orderPartialImages(
    anOrder({ size: SQUARE, quality: 'medium', ...fields }),
    { partialImages },
    { features: FEATURES, pricing },
    routes,
  ).partialImages;

test('partial images are ordered where they can be sent and have a price', () => {
  expect(ordered({})).toBe(2);
  expect(ordered({ n: 2 })).toBeUndefined();
  expect(ordered({ size: { width: 2_048, height: 2_048 } })).toBeUndefined();
  expect(ordered({}, BY_IMAGE)).toBeUndefined();
  expect(ordered({}, BY_TOKEN, [routeTo(true), routeTo(false)])).toBeUndefined();
  expect(
    orderPartialImages(anOrder(), {}, { features: FEATURES, pricing: BY_TOKEN }, [routeTo(true)]),
  ).not.toHaveProperty('partialImages');
});
