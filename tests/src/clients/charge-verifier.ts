import { expect } from '@jest/globals';
import { readLedger } from '../support/ledger';
import type { MeterEntry } from '../support/meter';
import type { Customer, System } from '../support/system';
import { costNano } from './price';

/** A call with hidden reasoning continues when its client disconnects. */
const SETTLED_WITHIN_MS = 10_000;

/** Checks a customer's charges, call by call, against the simulator's meter. */
export class ChargeVerifier {
  readonly #system: System;
  readonly #customer: Customer;
  /** Request ids of charges that were checked. */
  readonly #known = new Set<string>();

  constructor(system: System, customer: Customer) {
    this.#system = system;
    this.#customer = customer;
  }

  /** Runs the action and checks that the customer paid exactly what the provider metered. */
  async check<T>(
    model: string,
    run: () => Promise<T>,
  ): Promise<{ result: T; metered: readonly MeterEntry[] }> {
    const [last] = (await this.#system.meter({ limit: 1 })).entries;
    const result = await run();
    return { result, metered: await this.#expectPaid(model, last?.id ?? 0) };
  }

  async #expectPaid(model: string, after: number): Promise<readonly MeterEntry[]> {
    await this.#system.settled(this.#customer, SETTLED_WITHIN_MS);
    const { entries: metered } = await this.#system.meter({ after });
    const { charges } = await readLedger(this.#system, this.#customer);
    const due = new Map<string, bigint>();
    for (const entry of metered) {
      const requestId = `${entry.request_id}`;
      due.set(requestId, (due.get(requestId) ?? 0n) + costNano(model, entry));
    }
    const paid = [...charges].filter(([requestId]) => !this.#known.has(requestId));
    for (const [requestId] of paid) this.#known.add(requestId);
    const isCost = ([, nano]: [string, bigint]) => nano !== 0n;
    expect(new Map(paid.filter(isCost))).toEqual(new Map([...due].filter(isCost)));
    return metered;
  }
}
