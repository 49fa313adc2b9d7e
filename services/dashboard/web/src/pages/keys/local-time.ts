/** A moment as an input of the reader's own time has it: `2026-11-21T22:49`. */
export function toLocalTime(time: string): string {
  const at = new Date(time);
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** Null while nothing whole is written. */
export function fromLocalTime(local: string): string | null {
  const atMs = new Date(local).getTime();
  return Number.isNaN(atMs) ? null : new Date(atMs).toISOString();
}
