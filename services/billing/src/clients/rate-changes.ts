import type { RatePlace } from '../domain/rate-limiter';
import { figure, sum } from './rate-figures';

/** What is to be put right in a key's books after a call was let through. */
export interface RateChange {
  readonly place: RatePlace;
  /** To give back where they were taken. */
  readonly requests: number;
  /** Likewise; below 0: to count now. */
  readonly tokens: bigint;
}

/** The script's arguments for the changes of one key: what goes back to one second is one sum. */
export function argumentsOf(changes: readonly RateChange[]): (number | bigint)[] {
  const back = changes.filter(({ tokens }) => tokens >= 0n);
  const more = changes.filter(({ tokens }) => tokens < 0n);
  const buckets = Map.groupBy(back, ({ place }) => `${place.generation} ${place.second}`);
  return [
    sum(more.map(({ tokens }) => figure(-tokens))),
    ...[...buckets.values()].flatMap((of) => [
      of[0]!.place.generation,
      of[0]!.place.second,
      sum(of.map(({ requests }) => requests)),
      sum(of.map(({ tokens }) => figure(tokens))),
    ]),
  ];
}
