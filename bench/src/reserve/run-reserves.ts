import { randomUUIDv7 } from 'node:crypto';
import type { ReserveReply__Output } from '@gateway/proto/generated/gateway/billing/v1/ReserveReply';
import type { ReserveOrder } from '../load/load-contract';
import type { Tally } from '../load/tally';
import { BillingCaller } from './billing-caller';
import { Releaser } from './releaser';

const OWNER = { ownerId: 'bench', ownerEpoch: '1' };
const MODEL = 'sim/chat';
const HOLD = { boundNano: '1000000', floorNano: '100000', boundTokens: '1000', floorTokens: '100' };
/** Beyond that billing is broken, and going on would only measure how fast it refuses. */
const MAX_ERRORS = 100;

/** Each caller reserves, has the hold released, and reserves again; only `Reserve` is timed. */
export async function runReserves(order: ReserveOrder, tally: Tally): Promise<void> {
  const { accountId, keyId } = order;
  const billing = new BillingCaller(order.address, order.serviceSecret);
  const releaser = new Releaser((events) => billing.deliver(events));
  try {
    await billing.open();
    await billing.heartbeat(OWNER.ownerId, OWNER.ownerEpoch);
    const endMs = performance.now() + order.load.durationMs;
    const caller = async () => {
      while (performance.now() < endMs && tally.errors < MAX_ERRORS) {
        const call = { requestId: randomUUIDv7(), accountId, keyId, model: MODEL };
        const startedAtMs = performance.now();
        try {
          checkReply(await billing.reserve({ ...call, ...OWNER, ...HOLD }), order.rated);
          tally.took(performance.now() - startedAtMs);
          tally.answered();
        } catch (error) {
          tally.failed(error);
        }
        // Also what was not answered: nobody knows whether it was made.
        await releaser.release(call).catch((error) => tally.failed(error));
      }
    };
    await Promise.all(Array.from({ length: order.load.callers }, caller));
  } finally {
    billing.close();
  }
}

function checkReply({ grant, refusal }: ReserveReply__Output, rated: boolean): void {
  if (!grant) throw new Error(`refused: ${JSON.stringify(refusal)}`);
  if (grant.holdNano !== HOLD.boundNano) throw new Error(`a hold of ${grant.holdNano}`);
  if (rated !== Boolean(grant.requests && grant.tokens)) throw new Error('rates are not as the key has them');
}
