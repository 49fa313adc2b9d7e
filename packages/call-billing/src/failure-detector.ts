/** An instance and its number of heartbeats; -1: it has shut down; `WITHOUT_HEARTBEAT`: it is known only from its bills. */
export interface InstanceHeartbeats {
  readonly id: string;
  readonly beats: bigint;
}

const LEFT = -1n;
export const WITHOUT_HEARTBEAT = -2n;

/**
 * Detects dead instances by this process's own clock: those whose number of heartbeats has not changed for the lease time. After
 * a pause between checks, in which heartbeats could not be seen, the time starts again.
 */
export class FailureDetector {
  readonly #leaseMs: number;
  readonly #lastSeen = new Map<string, { beats: bigint; sinceMs: number }>();
  #checkedAtMs = Number.NEGATIVE_INFINITY;

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
  }

  /** Heartbeats can't be judged now, so the time starts again for every instance. */
  forget(): void {
    this.#lastSeen.clear();
  }

  /** @param nowMs by a monotonic clock */
  findSilent(instances: readonly InstanceHeartbeats[], nowMs: number): InstanceHeartbeats[] {
    if (nowMs - this.#checkedAtMs > this.#leaseMs / 2) this.#lastSeen.clear();
    this.#checkedAtMs = nowMs;
    const known = new Set(instances.map(({ id }) => id));
    for (const id of this.#lastSeen.keys()) if (!known.has(id)) this.#lastSeen.delete(id);
    return instances.filter(({ id, beats }) => {
      const last = this.#lastSeen.get(id);
      if (beats === LEFT) return true;
      if (last?.beats === beats) return nowMs - last.sinceMs >= this.#leaseMs;
      this.#lastSeen.set(id, { beats, sinceMs: nowMs });
      return false;
    });
  }
}
