import { describe, expect, test } from '@jest/globals';
import { findPrice, indexPrices } from './find-price';
import { litellmList, onlyEntry } from './price-list.fixture';

const entry = (litellm_provider: string, name: string) =>
  onlyEntry(litellmList({ litellm_provider }, `${litellm_provider}/${name}`));
const index = indexPrices([entry('a', 'm'), entry('b', 'm'), entry('b', 'only')]);

describe('findPrice', () => {
  test('returns the entry of exactly this provider and model', () => {
    expect(findPrice(index, { provider: 'b', upstreamModel: 'm' })).toMatchObject({ provider: 'b' });
  });

  test('returns nothing for another provider, another spelling or no provider', () => {
    expect(findPrice(index, { provider: 'a', upstreamModel: 'only' })).toBeUndefined();
    expect(findPrice(index, { provider: 'b', upstreamModel: 'M' })).toBeUndefined();
    expect(findPrice(index, { provider: '', upstreamModel: 'only' })).toBeUndefined();
    expect(findPrice(index, { upstreamModel: 'only' })).toBeUndefined();
    expect(findPrice(index, { provider: '__proto__', upstreamModel: 'constructor' })).toBeUndefined();
  });

  test('returns the first of two entries', () => {
    const [first, second] = [entry('a', 'm'), entry('a', 'm')];
    const found = findPrice(indexPrices([first, second]), { provider: 'a', upstreamModel: 'm' });
    expect(found === first && found !== second).toBe(true);
  });
});
