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

/**
 * Joins adjacent turns of one role and then omits turns that `isEmpty`, whose neighbours are joined too. Before they are joined, a
 * turn of thoughts alone is not empty: callers send the items of one reply as turns of their own.
 */
export function joinSpokenTurns<T extends Turn>(turns: readonly T[], isEmpty: (turn: T) => boolean): T[] {
  const joined = joinAdjacentTurns(turns);
  return joined.some(isEmpty) ? joinAdjacentTurns(joined.filter((turn) => !isEmpty(turn))) : joined;
}

/** Returns whether the part is thinking, readable or not. */
export const isThought = ({ kind }: Turn['parts'][number]): boolean =>
  kind === 'thinking' || kind === 'redacted_thinking';
