import type { BillingServiceClient } from '@gateway/proto/generated/gateway/billing/v1/BillingService';
import { RequestCoalescer } from '@gateway/quota';
import { callUnary } from '@gateway/rpc';

const TIMEOUT_MS = 2_000;
/** However many forms an account sends, they cost billing no more than this. */
const GAP_MS = 100;
const MAX_ACCOUNTS = 10_000;

/** Asks billing which accounts have money. It holds none: what a call may spend is decided when it is admitted. */
export class AccountFunds {
  readonly #client: BillingServiceClient;
  readonly #requests = new RequestCoalescer<boolean>({ gapMs: GAP_MS, maxIds: MAX_ACCOUNTS });

  constructor(client: BillingServiceClient) {
    this.#client = client;
  }

  /** A balance above zero, held or not; also where billing can't say, as nothing is given away by it but room. */
  async hasFunds(accountId: string): Promise<boolean> {
    try {
      return await this.#requests.request(accountId, async () => {
        const client = this.#client;
        const request = { id: accountId };
        const { balanceNano } = await callUnary(client, client.GetAccount, request, {
          timeoutMs: TIMEOUT_MS,
        });
        return BigInt(balanceNano) > 0n;
      });
    } catch {
      return true;
    }
  }
}
