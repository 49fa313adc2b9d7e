import { randomUUIDv7 } from 'node:crypto';
import type { ReserveReply__Output } from '@gateway/proto/generated/gateway/billing/v1/ReserveReply';
import type { ReserveOrder, ReservesLoad } from '../load/load-contract';
import type { Tally } from '../load/tally';
import { BillingCaller } from './billing-caller';
import { type HoldIdentity, Releaser } from './releaser';

const OWNER = { ownerId: 'bench', ownerEpoch: '1' };
const MODEL = 'sim/chat';
const HOLD = { boundNano: 1_000_000, floorNano: 100_000, boundTokens: 1_000, floorTokens: 100 };
/** Beyond that billing is broken, and going on would only measure how fast it refuses. */
const MAX_ERRORS = 100;

/** Carries out orders for `Reserve`, and knows what they have left unreleased. */
export class ReserveRunner {
  #held: HoldIdentity[] = [];

  async run(order: ReserveOrder, tally: Tally): Promise<void> {
    const billing = new BillingCaller(order.address, order.serviceSecret);
    const releaser = new Releaser((events) => billing.deliver(events));
    try {
      await billing.open();
      await billing.heartbeat(OWNER.ownerId, OWNER.ownerEpoch);
      if (order.load.kind === 'releases') await this.#releaseAll(releaser);
      else await this.#reserve({ ...order, load: order.load }, { billing, releaser, tally });
    } finally {
      billing.close();
    }
  }

  /** Only `Reserve` is timed. */
  async #reserve(
    { accountId, keyId, valueId, rated, load }: ReserveOrder & { readonly load: ReservesLoad },
    { billing, releaser, tally }: { billing: BillingCaller; releaser: Releaser; tally: Tally },
  ): Promise<void> {
    const endMs = performance.now() + load.durationMs;
    const reserve = billing.reserves({ accountId, keyId, model: MODEL, valueId, ...OWNER, ...HOLD });
    const caller = async () => {
      while (performance.now() < endMs && tally.errors < MAX_ERRORS) {
        const call = { requestId: randomUUIDv7(), accountId, keyId, model: MODEL };
        const startedAtMs = performance.now();
        try {
          checkReply(await reserve(call.requestId), rated);
          tally.took(performance.now() - startedAtMs);
          tally.answered();
        } catch (error) {
          tally.failed(error);
        }
        // Also what was not answered: nobody knows whether it was made.
        if (load.release) await releaser.release(call).catch((error) => tally.failed(error));
        else this.#held.push(call);
      }
    };
    await Promise.all(Array.from({ length: load.callers }, caller));
  }

  async #releaseAll(releaser: Releaser): Promise<void> {
    const held = this.#held;
    this.#held = [];
    await Promise.all(held.map((call) => releaser.release(call)));
  }
}

function checkReply({ grant, refusal }: ReserveReply__Output, rated: boolean): void {
  if (!grant) throw new Error(`refused: ${JSON.stringify(refusal)}`);
  if (grant.holdNano !== String(HOLD.boundNano)) throw new Error(`a hold of ${grant.holdNano}`);
  if (rated !== Boolean(grant.requests && grant.tokens)) throw new Error('rates are not as the key has them');
}
