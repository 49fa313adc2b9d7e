import type { CellBilling, Cells } from '@gateway/call-billing';
import { RequestCoalescer } from '@gateway/quota';
import { callUnary } from '@gateway/rpc';

const TIMEOUT_MS = 2_000;
/** Maximum queries to billing, however many forms an account sends. */
const GAP_MS = 100;
const MAX_ACCOUNTS = 10_000;

/** Asks billing which accounts have funds. Admission decides what a call may spend. */
export class AccountFunds {
  readonly #cells: Cells<CellBilling>;
  readonly #requests = new RequestCoalescer<boolean>({ gapMs: GAP_MS, maxIds: MAX_ACCOUNTS });

  constructor(cells: Cells<CellBilling>) {
    this.#cells = cells;
  }

  /** Whether the balance is above zero, including held funds; true if billing does not answer: only disk space depends on it. */
  async hasFunds(accountId: string): Promise<boolean> {
    try {
      return await this.#requests.request(accountId, async () => {
        const { client } = await this.#cells.ofAccount(accountId);
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
