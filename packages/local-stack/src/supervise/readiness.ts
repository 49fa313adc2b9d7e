import { waitUntil } from '../engines/wait-until';

const POLL_INTERVAL_MS = 25;
const REQUEST_TIMEOUT_MS = 2_000;

/** Waits until `/readyz` of every address succeeds. Throws an error with the failing checks if that takes too long. */
export async function waitUntilReady(
  addresses: () => readonly { name: string; adminUrl: string | undefined }[],
  timeoutMs: number,
  isGivenUp: () => boolean,
): Promise<void> {
  let missing: string[] = [];
  const done = await waitUntil(
    async () => {
      const answers = await Promise.all(
        addresses().map(async ({ name, adminUrl }) => {
          const problem = adminUrl === undefined ? 'down' : await problemAt(adminUrl);
          return problem === undefined ? [] : [`${name}: ${problem}`];
        }),
      );
      missing = answers.flat();
      return missing.length === 0 || isGivenUp();
    },
    timeoutMs,
    POLL_INTERVAL_MS,
  );
  if (!done || missing.length > 0) throw new Error(`not ready after ${timeoutMs} ms: ${missing.join('; ')}`);
}

async function problemAt(adminUrl: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${adminUrl}/readyz`, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
    const text = await response.text();
    return response.ok ? undefined : text.trim();
  } catch (error) {
    return `no answer (${(error as Error).message})`;
  }
}
