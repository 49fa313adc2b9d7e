import { GatewayError } from '@gateway/errors';
import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import { RequestCoalescer } from '@gateway/quota';
import { callUnary } from '@gateway/rpc';
import type { CellBilling, Cells } from './cells';

const TIMEOUT_MS = 2_000;
/** Minimum time between two requests for a key: limits the load of a client that is refused repeatedly. */
const GAP_MS = 100;
const MAX_KEYS = 10_000;

/** Queries billing for the current state of keys. */
export class KeyClient {
  readonly #cells: Cells<CellBilling>;
  readonly #requests = new RequestCoalescer<KeyContext__Output>({ gapMs: GAP_MS, maxIds: MAX_KEYS });

  constructor(cells: Cells<CellBilling>) {
    this.#cells = cells;
  }

  /**
   * Returns the key's current state, or the last known one if billing can't be reached.
   * @throws GatewayError `invalid_api_key`, `expired_api_key` when the key is no longer valid
   */
  async current(known: KeyContext__Output): Promise<KeyContext__Output> {
    const { accountId, keyId, valueId } = known;
    try {
      return await this.#requests.request(`${keyId} ${valueId}`, async () => {
        const { client } = this.#cells.of(known.cell);
        const request = { accountId, keyId, valueId };
        const { key } = await callUnary(client, client.GetKeyContext, request, { timeoutMs: TIMEOUT_MS });
        return key ?? known;
      });
    } catch (error) {
      if (error instanceof GatewayError && error.row.status === 401) throw error;
      return known;
    }
  }
}
