import type { Turn } from './conversation';

/** Neighbours of one role as one turn; a turn that stands alone is taken as it is. */
export function joinNeighbours<T extends Turn>(turns: readonly T[]): T[] {
  const joined: T[] = [];
  /** Of the last turn, once it is made of several: thousands of neighbours, each copied for the next, would take seconds. */
  let parts: Turn['parts'][number][] | undefined;
  for (const turn of turns) {
    const last = joined.at(-1);
    if (last?.role !== turn.role) {
      joined.push(turn);
      parts = undefined;
      continue;
    }
    if (!parts) {
      parts = [...last.parts];
      joined[joined.length - 1] = { role: last.role, parts } as Turn as T;
    }
    for (const part of turn.parts) parts.push(part);
  }
  return joined;
}
