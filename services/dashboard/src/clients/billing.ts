import { GatewayError } from '@gateway/errors';
import type { BillingServiceClient } from '@gateway/proto/generated/gateway/billing/v1/BillingService';
import type { CreateKeyRequest } from '@gateway/proto/generated/gateway/billing/v1/CreateKeyRequest';
import type { GetUsageRequest } from '@gateway/proto/generated/gateway/billing/v1/GetUsageRequest';
import type { LedgerEntry__Output } from '@gateway/proto/generated/gateway/billing/v1/LedgerEntry';
import type { ListAccountsRequest } from '@gateway/proto/generated/gateway/billing/v1/ListAccountsRequest';
import type { ListRequestsRequest } from '@gateway/proto/generated/gateway/billing/v1/ListRequestsRequest';
import type { TopupStatus } from '@gateway/proto/generated/gateway/billing/v1/TopupStatus';
import type { UpdateAccountLimitsRequest } from '@gateway/proto/generated/gateway/billing/v1/UpdateAccountLimitsRequest';
import type { UpdateKeyRequest } from '@gateway/proto/generated/gateway/billing/v1/UpdateKeyRequest';
import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import { callUnary, type UnaryMethod } from '@gateway/rpc';
import type { SequenceMask } from '../domain/sequence-mask';

const TIMEOUT_MS = 5_000;

/** The part of a call's context that is passed on: its request id, and when its client disconnects. */
export interface Caller {
  readonly requestId: string;
  readonly signal: AbortSignal;
}

export interface PageQuery {
  readonly limit: number;
  readonly cursor: string;
}

/** The client of billing, with a deadline on every call. Throws billing's typed errors unchanged. */
export class Billing {
  readonly #client: BillingServiceClient;
  readonly #mask: SequenceMask;

  constructor(client: BillingServiceClient, mask: SequenceMask) {
    this.#client = client;
    this.#mask = mask;
  }

  /** Idempotent by id. */
  createAccount({ requestId }: Caller, id: string, name: string) {
    // Not canceled when the client disconnects: the user for whom the account is created needs it.
    return callUnary(
      this.#client,
      this.#client.CreateAccount,
      { id, name },
      { timeoutMs: TIMEOUT_MS, requestId },
    );
  }

  getAccount(caller: Caller, id: string) {
    return this.#call(caller, this.#client.GetAccount, { id });
  }

  getAccountUse(caller: Caller, accountId: string) {
    return this.#call(caller, this.#client.GetAccountUse, { accountId });
  }

  createKey(caller: Caller, request: CreateKeyRequest) {
    return this.#call(caller, this.#client.CreateKey, request);
  }

  listKeys(caller: Caller, accountId: string, page: PageQuery) {
    return this.#listMasked('keys', page, (query) =>
      this.#call(caller, this.#client.ListKeys, { accountId, ...query }),
    );
  }

  getKey(caller: Caller, accountId: string, id: string) {
    return this.#call(caller, this.#client.GetKey, { accountId, id });
  }

  getKeyUse(caller: Caller, accountId: string, id: string) {
    return this.#call(caller, this.#client.GetKeyUse, { accountId, id });
  }

  /** Returns what the key may do; fails as a call with the key would. */
  async getKeyContext(caller: Caller, accountId: string, keyId: string): Promise<KeyContext__Output> {
    const { key } = await this.#call(caller, this.#client.GetKeyContext, { accountId, keyId, valueId: '' });
    if (!key) throw new GatewayError('internal_error', { cause: new Error('no key context') });
    return key;
  }

  deleteKey(caller: Caller, accountId: string, id: string) {
    return this.#call(caller, this.#client.DeleteKey, { accountId, id });
  }

  updateKey(caller: Caller, request: UpdateKeyRequest) {
    return this.#call(caller, this.#client.UpdateKey, request);
  }

  setKeyEnabled(caller: Caller, accountId: string, id: string, enabled: boolean) {
    return this.#call(caller, this.#client.SetKeyEnabled, { accountId, id, enabled });
  }

  rotateKey(caller: Caller, accountId: string, id: string, graceSeconds: number) {
    return this.#call(caller, this.#client.RotateKey, { accountId, id, graceSeconds });
  }

  regenerateKey(caller: Caller, accountId: string, id: string) {
    return this.#call(caller, this.#client.RegenerateKey, { accountId, id });
  }

  /** Revokes a key of any account. */
  revokeKey(caller: Caller, id: string) {
    return this.#call(caller, this.#client.RevokeKey, { id });
  }

  /** Returns undefined for an unknown value. @param reason for the key's owner */
  revokeLeakedValue(caller: Caller, value: string, reason: string) {
    return this.#call(caller, this.#client.RevokeLeakedValue, { value, reason }).catch((error: unknown) => {
      if (GatewayError.from(error).code === 'not_found') return undefined;
      throw error;
    });
  }

  /** Finds a key of any account by its complete value. */
  findKey(caller: Caller, value: string) {
    return this.#call(caller, this.#client.FindKey, { value });
  }

  listAccounts(caller: Caller, request: ListAccountsRequest) {
    return this.#call(caller, this.#client.ListAccounts, request);
  }

  setAccountSuspended(caller: Caller, id: string, suspended: boolean) {
    return this.#call(caller, this.#client.SetAccountSuspended, { id, suspended });
  }

  updateAccountLimits(caller: Caller, request: UpdateAccountLimitsRequest) {
    return this.#call(caller, this.#client.UpdateAccountLimits, request);
  }

  /** Idempotent. */
  optIn(caller: Caller, accountId: string, model: string) {
    return this.#call(caller, this.#client.OptIn, { accountId, model });
  }

  getThrottle(caller: Caller) {
    return this.#call(caller, this.#client.GetThrottle, {});
  }

  /** @param requestsPerSecond 0: no throttle */
  setThrottle(caller: Caller, requestsPerSecond: number) {
    return this.#call(caller, this.#client.SetThrottle, { requestsPerSecond });
  }

  /** Idempotent by id. */
  async createAdjustment(
    caller: Caller,
    { amountNano, ...adjustment }: { id: string; accountId: string; amountNano: bigint; reason: string },
  ) {
    const request = { ...adjustment, amountNano: amountNano.toString() };
    return this.#masked(await this.#call(caller, this.#client.CreateAdjustment, request));
  }

  /** Idempotent by id. */
  createTopup(
    caller: Caller,
    {
      amountNano,
      status,
      ...topup
    }: {
      id: string;
      accountId: string;
      amountNano: bigint;
      status: 'cleared' | 'pending';
      reference: string;
    },
  ) {
    const request = { ...topup, amountNano: amountNano.toString(), status: TOPUP_STATUS[status] };
    return this.#call(caller, this.#client.CreateTopup, request);
  }

  /** Idempotent. */
  clearTopup(caller: Caller, id: string) {
    return this.#call(caller, this.#client.ClearTopup, { id });
  }

  /** A voided top-up never clears. Idempotent. */
  voidTopup(caller: Caller, id: string) {
    return this.#call(caller, this.#client.VoidTopup, { id });
  }

  listTopups(caller: Caller, accountId: string, page: PageQuery) {
    return this.#listMasked('topups', page, (query) =>
      this.#call(caller, this.#client.ListTopups, { accountId, ...query }),
    );
  }

  /** Lists top-ups of all accounts. */
  listTopupsByStatus(caller: Caller, status: keyof typeof TOPUP_STATUS, page: PageQuery) {
    return this.#call(caller, this.#client.ListTopupsByStatus, { status: TOPUP_STATUS[status], ...page });
  }

  async listLedger(caller: Caller, accountId: string, page: PageQuery) {
    const list = await this.#listMasked('ledger', page, (query) =>
      this.#call(caller, this.#client.ListLedger, { accountId, ...query }),
    );
    return { ...list, entries: list.entries.map((entry) => this.#masked(entry)) };
  }

  listOperatorLosses(caller: Caller, accountId: string, page: PageQuery) {
    return this.#listMasked('losses', page, (query) =>
      this.#call(caller, this.#client.ListOperatorLosses, { accountId, ...query }),
    );
  }

  getAbandonedCost(caller: Caller, accountId: string) {
    return this.#call(caller, this.#client.GetAbandonedCost, { accountId });
  }

  listRequests(caller: Caller, request: ListRequestsRequest) {
    return this.#call(caller, this.#client.ListRequests, request);
  }

  /** Lists requests of all accounts, or of the account in the filter. */
  listAllRequests(caller: Caller, filter: ListRequestsRequest) {
    return this.#call(caller, this.#client.ListAllRequests, { filter });
  }

  /** Finds a request of any account. */
  findRequest(caller: Caller, id: string) {
    return this.#call(caller, this.#client.FindRequest, { id });
  }

  getRequest(caller: Caller, accountId: string, id: string) {
    return this.#call(caller, this.#client.GetRequest, { accountId, id });
  }

  getUsage(caller: Caller, request: GetUsageRequest) {
    return this.#call(caller, this.#client.GetUsage, request);
  }

  #call<Request, Response>(
    { requestId, signal }: Caller,
    method: UnaryMethod<Request, Response>,
    request: Request,
  ): Promise<NonNullable<Response>> {
    return callUnary(this.#client, method, request, { timeoutMs: TIMEOUT_MS, requestId, signal });
  }

  /** Billing's cursors are row numbers. */
  async #listMasked<T extends { nextCursor: string }>(
    kind: string,
    { limit, cursor }: PageQuery,
    list: (page: PageQuery) => Promise<T>,
  ): Promise<T> {
    const page = await list({ limit, cursor: cursor === '' ? '' : this.#mask.reveal(kind, cursor) });
    return { ...page, nextCursor: page.nextCursor === '' ? '' : this.#mask.hide(kind, page.nextCursor) };
  }

  #masked(entry: LedgerEntry__Output): LedgerEntry__Output {
    return { ...entry, id: this.#mask.hide('ledger', entry.id) };
  }
}

const TOPUP_STATUS = {
  pending: 'TOPUP_STATUS_PENDING',
  cleared: 'TOPUP_STATUS_CLEARED',
  voided: 'TOPUP_STATUS_VOIDED',
} as const satisfies Record<string, TopupStatus>;
