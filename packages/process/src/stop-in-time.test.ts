import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { stopInTime } from './stop-in-time';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Returns whether stopInTime waits for a stop of that duration. */
async function isAwaited(takesMs: number, stopTimeoutMs?: number): Promise<boolean> {
  const stop = () => new Promise<void>((resolve) => setTimeout(resolve, takesMs));
  const stopped = stopInTime({ stop, ...(stopTimeoutMs !== undefined && { stopTimeoutMs }) }).then(
    () => true,
    () => false,
  );
  await jest.runAllTimersAsync();
  return stopped;
}

test.each([
  ['waits', 'its own stop timeout', 120_000, 130_000, true],
  ['does not wait', 'its own stop timeout', 130_001, 130_000, false],
  ['waits', 'the default stop timeout', 14_000, undefined, true],
  ['does not wait', 'the default stop timeout', 16_000, undefined, false],
])(
  '%s for a service with %s that takes %i ms to stop',
  async (_verb, _timeout, takesMs, stopTimeoutMs, awaited) => {
    expect(await isAwaited(takesMs, stopTimeoutMs)).toBe(awaited);
  },
);
