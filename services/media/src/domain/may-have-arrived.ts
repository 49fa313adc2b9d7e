/** Whether something of a failed order was sent: requests say it of themselves, of all else it is taken for granted. */
export function mayHaveArrived(error: unknown): boolean {
  return (error as { mayHaveArrived?: unknown } | undefined)?.mayHaveArrived !== false;
}
