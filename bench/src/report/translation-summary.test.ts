import { expect, test } from '@jest/globals';
import type { Round } from '../measure';
import { summariseTranslation } from './translation-summary';

const round = (chatUs: number, edgeUs: number): Round => ({
  elapsedMs: 1_000,
  calls: 10,
  chunks: 100,
  errors: 0,
  errorSamples: [],
  p50Ms: 1,
  p95Ms: 2,
  p99Ms: 2,
  window: { fromUs: 0, toUs: 0 },
  cpuUs: { chat: chatUs, edge: edgeUs, simulator: 1e6 * chatUs },
});
const group = (stream: boolean) => ({
  title: '',
  stream,
  callsPerSecond: undefined,
  routes: [
    {
      title: 'to openai',
      translated: false,
      rounds: [round(1_000, 500), round(2_000, 500), round(9_000, 500)],
    },
    {
      title: 'to google',
      translated: true,
      rounds: [round(1_700, 600), round(2_500, 600), round(9_900, 600)],
    },
  ],
});

test('the CPU that a translation adds is the median of the differences to the pass-through rounds', () => {
  const [passThrough, translated] = summariseTranslation(group(false));
  expect(passThrough).toMatchObject({ cpuUsPerUnit: 250, addedCpuUs: 0, addedChatCpuUs: 0 });
  expect(translated).toMatchObject({ cpuUsPerUnit: 310, addedCpuUs: 80, addedChatCpuUs: 70 });
  expect(translated?.addedCpuUsQuartiles).toEqual([60, 100]);
});

test('a translation is compared with the mean of two pass-through routes, and the second of these with the first', () => {
  const { routes, ...rest } = group(false);
  const again = { title: '', translated: false, rounds: [500, 500, 500].map((us) => round(us, 500)) };
  const [, second, translated] = summariseTranslation({ ...rest, routes: [routes[0]!, again, routes[1]!] });
  expect(second).toMatchObject({ addedCpuUs: -150, addedChatCpuUs: -150 });
  // Pass-through costs 125, 175 and 525 per call.
  expect(translated?.addedCpuUsQuartiles).toEqual([105, 525]);
});

test('the CPU that a translation adds to a stream is per chunk', () => {
  expect(summariseTranslation(group(true))[1]).toMatchObject({ addedCpuUs: 8, addedChatCpuUs: 7 });
});
