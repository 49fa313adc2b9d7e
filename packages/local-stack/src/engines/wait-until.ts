import { setTimeout as sleep } from 'node:timers/promises';

/** Polls until the condition holds; returns false after the timeout. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  timeoutMs: number,
  intervalMs = 25,
): Promise<boolean> {
  const deadlineMs = Date.now() + timeoutMs;
  for (;;) {
    if (await condition()) return true;
    if (Date.now() >= deadlineMs) return false;
    await sleep(intervalMs);
  }
}
