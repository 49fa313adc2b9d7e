import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { findPrice } from './find-price';
import { litellmEntry } from './price-list.fixture';
import { PriceListSource } from './price-list-source';

const HOUR_MS = 60 * 60 * 1_000;
const listWith = (input: number) =>
  JSON.stringify({
    'groq/m': litellmEntry({ litellm_provider: 'groq', input_cost_per_token: input }),
  });

async function priceIn(source: PriceListSource): Promise<bigint | undefined> {
  const { prices } = (await source.current())!;
  return findPrice(prices, { provider: 'groq', upstreamModel: 'm' })?.pricing.input;
}

test('without a source there is no list', async () => {
  expect(await new PriceListSource('none').current()).toBeUndefined();
});

describe('a file', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'gateway-prices-'));
    file = path.join(folder, 'prices.json');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('is read, and read again after it has changed', async () => {
    writeFileSync(file, listWith(0.000001));
    const source = new PriceListSource(file);
    expect(await source.current()).toMatchObject({
      format: 'litellm',
      source: file,
      date: new Date().toISOString().slice(0, 10),
    });
    expect(await priceIn(source)).toBe(1_000_000_000n);
    writeFileSync(file, listWith(0.000002));
    utimesSync(file, new Date(), new Date(Date.now() + 5_000));
    expect(await priceIn(source)).toBe(2_000_000_000n);
  });

  test('that does not exist or is not a price list is an error', async () => {
    await expect(new PriceListSource(file).current()).rejects.toMatchObject({ code: 'ENOENT' });
    writeFileSync(file, '[]');
    await expect(new PriceListSource(file).current()).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('a URL', () => {
  let requests: string[];
  let answer: () => Response;
  const get = async (url: unknown) => {
    requests.push(String(url));
    return answer();
  };
  const source = () => new PriceListSource('https://prices.example.com/list.json', get as typeof fetch);
  beforeEach(() => {
    jest.useFakeTimers();
    requests = [];
    answer = () => new Response(listWith(0.000001));
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  test('is read once for concurrent calls, and again after an hour', async () => {
    const one = source();
    expect(await Promise.all([priceIn(one), priceIn(one)])).toEqual([1_000_000_000n, 1_000_000_000n]);
    jest.advanceTimersByTime(HOUR_MS - 1);
    await priceIn(one);
    expect(requests).toEqual(['https://prices.example.com/list.json']);
    jest.advanceTimersByTime(1);
    answer = () => new Response(listWith(0.000003));
    expect(await priceIn(one)).toBe(3_000_000_000n);
  });

  test('that fails is an error, and read again by the next call', async () => {
    const one = source();
    answer = () => new Response('', { status: 404 });
    await expect(one.current()).rejects.toThrow('HTTP 404');
    answer = () => new Response(listWith(0.000001));
    expect(await priceIn(one)).toBe(1_000_000_000n);
  });

  test('with more than 32 MiB is an error', async () => {
    const piece = new Uint8Array(1024 * 1024).fill(32);
    answer = () => new Response(ReadableStream.from(Array.from({ length: 33 }, () => piece)));
    await expect(source().current()).rejects.toThrow('larger than');
  });
});
