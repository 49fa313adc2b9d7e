const INTERVAL_MS = 10;

/** Waits until a condition is true. @throws Error after `timeoutMs` */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 15_000): Promise<void> {
  const endMs = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > endMs) throw new Error(`not true within ${timeoutMs} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  }
}
