/** A signal that follows another after some time. */
export function delayedAbort(signal: AbortSignal, delayMs: number): AbortSignal {
  const delayed = new AbortController();
  const follow = () => setTimeout(() => delayed.abort(signal.reason), delayMs).unref();
  if (signal.aborted) follow();
  else signal.addEventListener('abort', follow, { once: true });
  return delayed.signal;
}
