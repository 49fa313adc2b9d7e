/** Whether a failed request may have reached the provider; true unless the request's error says otherwise. */
export function mayHaveArrived(error: unknown): boolean {
  return (error as { mayHaveArrived?: unknown } | undefined)?.mayHaveArrived !== false;
}
