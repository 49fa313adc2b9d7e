import type { Turn } from './conversation';

/** Joins adjacent turns of one role; a turn without such a neighbour stays as it is. */
export function joinAdjacentTurns<T extends Turn>(turns: readonly T[]): T[] {
  const joined: T[] = [];
  /** Parts of the last turn once it is a joined one: copying them for each of thousands of neighbours would take seconds. */
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
