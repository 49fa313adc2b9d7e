import type { CellBilling, Cells } from '@gateway/call-billing';
import { GatewayError } from '@gateway/errors';
import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import { callUnary } from '@gateway/rpc';
import { CallNotSent } from './chat-calls';

const TIMEOUT_MS = 5_000;
/** A call sees changes of its key within this time; billing applies limits and the key's state to each call itself. */
const KEY_AGE_MS = 500;
const MAX_KEYS = 10_000;

/** `open`: it has not ended. `expired`: its owner was gone for so long that it is unknown. */
export type Charge =
  | { readonly state: 'open' | 'expired' }
  | { readonly state: 'ended'; readonly nano: bigint };

/** What billing knows about keys and calls. */
export class BillingCalls {
  readonly #cells: Cells<CellBilling>;
  readonly #keys = new Map<string, { readonly sinceMs: number; readonly key: Promise<KeyContext__Output> }>();

  constructor(cells: Cells<CellBilling>) {
    this.#cells = cells;
  }

  /**
   * Returns a key, whichever of its values was presented.
   * @throws GatewayError `invalid_api_key`, `expired_api_key`
   * @throws CallNotSent if billing can't be reached
   */
  key(accountId: string, keyId: string): Promise<KeyContext__Output> {
    const id = `${accountId} ${keyId}`;
    const now = performance.now();
    const known = this.#keys.get(id);
    if (known && now - known.sinceMs < KEY_AGE_MS) return known.key;
    if (this.#keys.size >= MAX_KEYS) this.#keys.clear();
    const key = this.#lookUp(accountId, keyId);
    this.#keys.set(id, { sinceMs: now, key });
    return key;
  }

  async #lookUp(accountId: string, keyId: string): Promise<KeyContext__Output> {
    try {
      const { client } = await this.#cells.ofAccount(accountId);
      const request = { accountId, keyId };
      const { key } = await callUnary(client, client.GetKeyContext, request, { timeoutMs: TIMEOUT_MS });
      if (key) return key;
    } catch (cause) {
      if (cause instanceof GatewayError && cause.row.status === 401) throw cause;
      throw new CallNotSent('billing does not answer', { cause });
    }
    throw new CallNotSent('billing returned no key');
  }

  /** Returns what a call was charged. If nothing is reserved for it, nothing can be any more. */
  async close(accountId: string, keyId: string, requestId: string): Promise<Charge> {
    const { client } = await this.#cells.ofAccount(accountId);
    const request = { accountId, keyId, requestId };
    const { state, chargedNano } = await callUnary(client, client.CloseCall, request, {
      timeoutMs: TIMEOUT_MS,
    });
    if (state === 'CALL_END_STATE_ENDED') return { state: 'ended', nano: BigInt(chargedNano) };
    return { state: state === 'CALL_END_STATE_OPEN' ? 'open' : 'expired' };
  }
}
