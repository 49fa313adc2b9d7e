import { randomUUIDv7 } from 'node:crypto';
import type { ReserveReply__Output } from '@gateway/proto/generated/gateway/billing/v1/ReserveReply';
import type { ReserveJob, ReservesLoad } from '../load/load-contract';
import type { Tally } from '../load/tally';
import { BillingCaller } from './billing-caller';
import { type HoldIdentity, Releaser } from './releaser';

const OWNER = { ownerId: 'bench', ownerEpoch: '1' };
const MODEL = 'sim/chat';
const HOLD = { boundNano: 1_000_000, floorNano: 100_000, boundTokens: 1_000, floorTokens: 100 };
/** Stops a run when billing is broken, which would only measure how fast it fails. */
const MAX_ERRORS = 100;

/** Runs `Reserve` jobs and tracks the holds that they have left open. */
export class ReserveRunner {
  #openHolds: HoldIdentity[] = [];

  async run(job: ReserveJob, tally: Tally): Promise<void> {
    const billing = new BillingCaller(job.address, job.trust);
    const releaser = new Releaser((events) => billing.deliver(events));
    try {
      await billing.open();
      await billing.heartbeat(OWNER.ownerId, OWNER.ownerEpoch);
      if (job.load.kind === 'releases') await this.#releaseAll(releaser);
      else await this.#reserve({ ...job, load: job.load }, { billing, releaser, tally });
    } finally {
      billing.close();
    }
  }

  /** Measures the latency of `Reserve`, without that of the release. */
  async #reserve(
    { accountId, keyId, valueId, hasLimits, load }: ReserveJob & { readonly load: ReservesLoad },
    { billing, releaser, tally }: { billing: BillingCaller; releaser: Releaser; tally: Tally },
  ): Promise<void> {
    const endMs = performance.now() + load.durationMs;
    const reserve = billing.reserveFor({ accountId, keyId, model: MODEL, valueId, ...OWNER, ...HOLD });
    const caller = async () => {
      while (performance.now() < endMs && tally.errors < MAX_ERRORS) {
        const call = { requestId: randomUUIDv7(), accountId, keyId, model: MODEL };
        const startedAtMs = performance.now();
        try {
          checkReply(await reserve(call.requestId), hasLimits);
          tally.recordLatency(performance.now() - startedAtMs);
          tally.recordSuccess();
        } catch (error) {
          tally.recordError(error);
        }
        // Also after a failure, because the hold may exist.
        if (load.release) await releaser.release(call).catch((error) => tally.recordError(error));
        else this.#openHolds.push(call);
      }
    };
    await Promise.all(Array.from({ length: load.callers }, caller));
  }

  async #releaseAll(releaser: Releaser): Promise<void> {
    const openHolds = this.#openHolds;
    this.#openHolds = [];
    await Promise.all(openHolds.map((call) => releaser.release(call)));
  }
}

function checkReply({ grant, refusal }: ReserveReply__Output, hasLimits: boolean): void {
  if (!grant) throw new Error(`refused: ${JSON.stringify(refusal)}`);
  if (grant.holdNano !== String(HOLD.boundNano)) throw new Error(`hold of ${grant.holdNano}`);
  if (hasLimits !== Boolean(grant.requests && grant.tokens))
    throw new Error('rate limits do not match those of the key');
}
