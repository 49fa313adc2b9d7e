/** Returns a time as a local date-time input has it: `2026-11-21T22:49`. */
export function toLocalTime(time: string): string {
  const at = new Date(time);
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** Returns null for an incomplete input. */
export function fromLocalTime(local: string): string | null {
  const atMs = new Date(local).getTime();
  return Number.isNaN(atMs) ? null : new Date(atMs).toISOString();
}
