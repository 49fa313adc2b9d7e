import { expect, test } from '@jest/globals';
import { Meter, OTHER_MODELS } from './meter';
import { NO_USAGE } from './usage';

const usage = {
  ...NO_USAGE,
  promptTokens: 10,
  completionTokens: 5,
  cachedTokens: 4,
  cacheWriteTokens: 2,
  reasoningTokens: 1,
};

function meterWith(calls: number, capacity: number, model = (i: number) => `m${i % 2}`): Meter {
  const meter = new Meter(capacity, () => 1_000);
  for (let i = 1; i <= calls; i++) {
    const facts = { provider: 'openai', model: model(i), requestId: `r${i}`, stream: false, signedParts: 0 };
    meter.begin()(facts, { status: 200, usage, finished: true, aborted: false });
  }
  return meter;
}

const ids = (meter: Meter, query: Parameters<Meter['entries']>[0]) =>
  meter.entries(query).map(({ id }) => id);

test('totals, also by model, include entries that left the ring', () => {
  const meter = meterWith(7, 3);
  expect(meter.totals).toMatchObject({ calls: 7, promptTokens: 70, completionTokens: 35 });
  expect(meter.byModel.get('m1')).toMatchObject({
    calls: 4,
    cachedTokens: 16,
    cacheWriteTokens: 8,
    reasoningTokens: 4,
  });
  expect(ids(meter, { limit: 10 })).toEqual([5, 6, 7]);
});

test('entries are found as the latest, after an id, and by request', () => {
  const meter = meterWith(9, 5);
  expect(ids(meter, { limit: 2 })).toEqual([8, 9]);
  expect(ids(meter, { limit: 2, after: 6 })).toEqual([7, 8]);
  expect(ids(meter, { limit: 10, after: 0 })).toEqual([5, 6, 7, 8, 9]);
  expect(ids(meter, { limit: 10, after: 9 })).toEqual([]);
  expect(ids(meter, { limit: 10, requestId: 'r7' })).toEqual([7]);
});

test('a reset deletes calls but never reuses an id', () => {
  const meter = meterWith(4, 3);
  meter.reset();
  expect(meter.entries({ limit: 10 })).toEqual([]);
  expect(meter.totals.calls).toBe(0);
  const facts = { provider: 'openai', model: 'm', requestId: null, stream: true, signedParts: 0 };
  const record = meter.begin();
  expect(meter.inFlight).toBe(1);
  record(facts, { status: 200, usage, finished: true, aborted: false });
  expect(meter.inFlight).toBe(0);
  expect(meter.entries({ limit: 10 })).toEqual([
    { ...facts, id: 5, kind: 'call', atMs: 1_000, status: 200, usage, finished: true, aborted: false },
  ]);
});

test('the number of model names is bounded', () => {
  const meter = meterWith(1_500, 10, (i) => `m${i}`);
  expect(meter.byModel.size).toBe(1_001);
  expect(meter.byModel.get(OTHER_MODELS)?.calls).toBe(500);
});
