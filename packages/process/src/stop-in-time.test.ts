import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { stopInTime } from './stop-in-time';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Whether a stop that takes so long is waited for. */
async function isWaitedFor(takesMs: number, stopTimeoutMs?: number): Promise<boolean> {
  const stop = () => new Promise<void>((resolve) => setTimeout(resolve, takesMs));
  const stopped = stopInTime({ stop, ...(stopTimeoutMs !== undefined && { stopTimeoutMs }) }).then(
    () => true,
    () => false,
  );
  await jest.runAllTimersAsync();
  return stopped;
}

test.each([
  ['a service that drains for two minutes, and says so', 120_000, 130_000, true],
  ['one that takes longer than it says', 130_001, 130_000, false],
  ['one that says nothing', 14_000, undefined, true],
  ['one that says nothing and hangs', 16_000, undefined, false],
])('%s', async (_what, takesMs, stopTimeoutMs, waited) => {
  expect(await isWaitedFor(takesMs, stopTimeoutMs)).toBe(waited);
});
