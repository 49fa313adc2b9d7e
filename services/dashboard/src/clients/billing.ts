import { GatewayError } from '@gateway/errors';
import type { AbandonedCost__Output } from '@gateway/proto/generated/gateway/billing/v1/AbandonedCost';
import type { Account__Output } from '@gateway/proto/generated/gateway/billing/v1/Account';
import type { AccountUse__Output } from '@gateway/proto/generated/gateway/billing/v1/AccountUse';
import type { ApiKey__Output } from '@gateway/proto/generated/gateway/billing/v1/ApiKey';
import type { BillingServiceClient } from '@gateway/proto/generated/gateway/billing/v1/BillingService';
import type { CreateKeyRequest } from '@gateway/proto/generated/gateway/billing/v1/CreateKeyRequest';
import type { CreateKeyResponse__Output } from '@gateway/proto/generated/gateway/billing/v1/CreateKeyResponse';
import type { FindKeyResponse__Output } from '@gateway/proto/generated/gateway/billing/v1/FindKeyResponse';
import type { GetUsageRequest } from '@gateway/proto/generated/gateway/billing/v1/GetUsageRequest';
import type { GetUsageResponse__Output } from '@gateway/proto/generated/gateway/billing/v1/GetUsageResponse';
import type { KeyUse__Output } from '@gateway/proto/generated/gateway/billing/v1/KeyUse';
import type { LedgerEntry__Output } from '@gateway/proto/generated/gateway/billing/v1/LedgerEntry';
import type { ListAccountsRequest } from '@gateway/proto/generated/gateway/billing/v1/ListAccountsRequest';
import type { ListAccountsResponse__Output } from '@gateway/proto/generated/gateway/billing/v1/ListAccountsResponse';
import type { ListKeysResponse__Output } from '@gateway/proto/generated/gateway/billing/v1/ListKeysResponse';
import type { ListLedgerResponse__Output } from '@gateway/proto/generated/gateway/billing/v1/ListLedgerResponse';
import type { ListOperatorLossesResponse__Output } from '@gateway/proto/generated/gateway/billing/v1/ListOperatorLossesResponse';
import type { ListRequestsRequest } from '@gateway/proto/generated/gateway/billing/v1/ListRequestsRequest';
import type { ListRequestsResponse__Output } from '@gateway/proto/generated/gateway/billing/v1/ListRequestsResponse';
import type { ListTopupsByStatusResponse__Output } from '@gateway/proto/generated/gateway/billing/v1/ListTopupsByStatusResponse';
import type { ListTopupsResponse__Output } from '@gateway/proto/generated/gateway/billing/v1/ListTopupsResponse';
import type { RequestRecord__Output } from '@gateway/proto/generated/gateway/billing/v1/RequestRecord';
import type { RevokeLeakedValueResponse__Output } from '@gateway/proto/generated/gateway/billing/v1/RevokeLeakedValueResponse';
import type { Throttle__Output } from '@gateway/proto/generated/gateway/billing/v1/Throttle';
import type { Topup__Output } from '@gateway/proto/generated/gateway/billing/v1/Topup';
import type { TopupStatus } from '@gateway/proto/generated/gateway/billing/v1/TopupStatus';
import type { UpdateAccountLimitsRequest } from '@gateway/proto/generated/gateway/billing/v1/UpdateAccountLimitsRequest';
import type { UpdateKeyRequest } from '@gateway/proto/generated/gateway/billing/v1/UpdateKeyRequest';
import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import { callUnary } from '@gateway/rpc';
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
  createAccount(caller: Caller, id: string, name: string): Promise<Account__Output> {
    // Not canceled when the client disconnects: the user for whom the account is created needs it.
    const settings = { timeoutMs: TIMEOUT_MS, requestId: caller.requestId };
    return unwrap(callUnary(this.#client, this.#client.CreateAccount, { id, name }, settings));
  }

  getAccount(caller: Caller, id: string): Promise<Account__Output> {
    return unwrap(callUnary(this.#client, this.#client.GetAccount, { id }, within(caller)));
  }

  getAccountUse(caller: Caller, accountId: string): Promise<AccountUse__Output> {
    return unwrap(callUnary(this.#client, this.#client.GetAccountUse, { accountId }, within(caller)));
  }

  createKey(caller: Caller, request: CreateKeyRequest): Promise<CreateKeyResponse__Output> {
    return unwrap(callUnary(this.#client, this.#client.CreateKey, request, within(caller)));
  }

  listKeys(caller: Caller, accountId: string, page: PageQuery): Promise<ListKeysResponse__Output> {
    return this.#paged('keys', page, (open) =>
      callUnary(this.#client, this.#client.ListKeys, { accountId, ...open }, within(caller)),
    );
  }

  getKey(caller: Caller, accountId: string, id: string): Promise<ApiKey__Output> {
    return unwrap(callUnary(this.#client, this.#client.GetKey, { accountId, id }, within(caller)));
  }

  getKeyUse(caller: Caller, accountId: string, id: string): Promise<KeyUse__Output> {
    return unwrap(callUnary(this.#client, this.#client.GetKeyUse, { accountId, id }, within(caller)));
  }

  /** Returns what the key may do; fails as a call with the key would. */
  async getKeyContext(caller: Caller, accountId: string, keyId: string): Promise<KeyContext__Output> {
    const request = { accountId, keyId, valueId: '' };
    const answer = await unwrap(callUnary(this.#client, this.#client.GetKeyContext, request, within(caller)));
    if (!answer.key) throw new GatewayError('internal_error', { cause: new Error('no key context') });
    return answer.key;
  }

  deleteKey(caller: Caller, accountId: string, id: string): Promise<ApiKey__Output> {
    return unwrap(callUnary(this.#client, this.#client.DeleteKey, { accountId, id }, within(caller)));
  }

  updateKey(caller: Caller, request: UpdateKeyRequest): Promise<ApiKey__Output> {
    return unwrap(callUnary(this.#client, this.#client.UpdateKey, request, within(caller)));
  }

  setKeyEnabled(caller: Caller, accountId: string, id: string, enabled: boolean): Promise<ApiKey__Output> {
    const request = { accountId, id, enabled };
    return unwrap(callUnary(this.#client, this.#client.SetKeyEnabled, request, within(caller)));
  }

  rotateKey(
    caller: Caller,
    accountId: string,
    id: string,
    graceSeconds: number,
  ): Promise<CreateKeyResponse__Output> {
    const request = { accountId, id, graceSeconds };
    return unwrap(callUnary(this.#client, this.#client.RotateKey, request, within(caller)));
  }

  regenerateKey(caller: Caller, accountId: string, id: string): Promise<CreateKeyResponse__Output> {
    return unwrap(callUnary(this.#client, this.#client.RegenerateKey, { accountId, id }, within(caller)));
  }

  /** A key of any account. */
  revokeKey(caller: Caller, id: string): Promise<ApiKey__Output> {
    return unwrap(callUnary(this.#client, this.#client.RevokeKey, { id }, within(caller)));
  }

  /** Returns undefined for an unknown value. @param reason for the key's owner */
  async revokeLeakedValue(
    caller: Caller,
    value: string,
    reason: string,
  ): Promise<RevokeLeakedValueResponse__Output | undefined> {
    const request = { value, reason };
    try {
      return await unwrap(callUnary(this.#client, this.#client.RevokeLeakedValue, request, within(caller)));
    } catch (error) {
      if (GatewayError.from(error).code === 'not_found') return undefined;
      throw error;
    }
  }

  /** Finds a key of any account by its complete value. */
  findKey(caller: Caller, value: string): Promise<FindKeyResponse__Output> {
    return unwrap(callUnary(this.#client, this.#client.FindKey, { value }, within(caller)));
  }

  listAccounts(caller: Caller, request: ListAccountsRequest): Promise<ListAccountsResponse__Output> {
    return unwrap(callUnary(this.#client, this.#client.ListAccounts, request, within(caller)));
  }

  setAccountSuspended(caller: Caller, id: string, suspended: boolean): Promise<Account__Output> {
    const request = { id, suspended };
    return unwrap(callUnary(this.#client, this.#client.SetAccountSuspended, request, within(caller)));
  }

  updateAccountLimits(caller: Caller, request: UpdateAccountLimitsRequest): Promise<Account__Output> {
    return unwrap(callUnary(this.#client, this.#client.UpdateAccountLimits, request, within(caller)));
  }

  /** Idempotent. */
  optIn(caller: Caller, accountId: string, model: string): Promise<Account__Output> {
    return unwrap(callUnary(this.#client, this.#client.OptIn, { accountId, model }, within(caller)));
  }

  getThrottle(caller: Caller): Promise<Throttle__Output> {
    return unwrap(callUnary(this.#client, this.#client.GetThrottle, {}, within(caller)));
  }

  /** @param requestsPerSecond 0: no throttle */
  setThrottle(caller: Caller, requestsPerSecond: number): Promise<Throttle__Output> {
    return unwrap(callUnary(this.#client, this.#client.SetThrottle, { requestsPerSecond }, within(caller)));
  }

  /** Idempotent by id. */
  createAdjustment(
    caller: Caller,
    adjustment: { id: string; accountId: string; amountNano: bigint; reason: string },
  ): Promise<LedgerEntry__Output> {
    const request = { ...adjustment, amountNano: adjustment.amountNano.toString() };
    const made = unwrap(callUnary(this.#client, this.#client.CreateAdjustment, request, within(caller)));
    return made.then((entry) => this.#masked(entry));
  }

  /** Idempotent by id. */
  createTopup(
    caller: Caller,
    topup: {
      id: string;
      accountId: string;
      amountNano: bigint;
      status: 'cleared' | 'pending';
      reference: string;
    },
  ): Promise<Topup__Output> {
    const request = {
      id: topup.id,
      accountId: topup.accountId,
      amountNano: topup.amountNano.toString(),
      status: TOPUP_STATUS[topup.status],
      reference: topup.reference,
    };
    return unwrap(callUnary(this.#client, this.#client.CreateTopup, request, within(caller)));
  }

  /** Idempotent. */
  clearTopup(caller: Caller, id: string): Promise<Topup__Output> {
    return unwrap(callUnary(this.#client, this.#client.ClearTopup, { id }, within(caller)));
  }

  /** A voided top-up never clears. Idempotent. */
  voidTopup(caller: Caller, id: string): Promise<Topup__Output> {
    return unwrap(callUnary(this.#client, this.#client.VoidTopup, { id }, within(caller)));
  }

  listTopups(caller: Caller, accountId: string, page: PageQuery): Promise<ListTopupsResponse__Output> {
    return this.#paged('topups', page, (open) =>
      callUnary(this.#client, this.#client.ListTopups, { accountId, ...open }, within(caller)),
    );
  }

  /** Top-ups of all accounts. */
  listTopupsByStatus(
    caller: Caller,
    status: keyof typeof TOPUP_STATUS,
    page: PageQuery,
  ): Promise<ListTopupsByStatusResponse__Output> {
    const request = { status: TOPUP_STATUS[status], ...page };
    return unwrap(callUnary(this.#client, this.#client.ListTopupsByStatus, request, within(caller)));
  }

  async listLedger(caller: Caller, accountId: string, page: PageQuery): Promise<ListLedgerResponse__Output> {
    const answer = await this.#paged('ledger', page, (open) =>
      callUnary(this.#client, this.#client.ListLedger, { accountId, ...open }, within(caller)),
    );
    return { ...answer, entries: answer.entries.map((entry) => this.#masked(entry)) };
  }

  listOperatorLosses(
    caller: Caller,
    accountId: string,
    page: PageQuery,
  ): Promise<ListOperatorLossesResponse__Output> {
    return this.#paged('losses', page, (open) =>
      callUnary(this.#client, this.#client.ListOperatorLosses, { accountId, ...open }, within(caller)),
    );
  }

  getAbandonedCost(caller: Caller, accountId: string): Promise<AbandonedCost__Output> {
    return unwrap(callUnary(this.#client, this.#client.GetAbandonedCost, { accountId }, within(caller)));
  }

  listRequests(caller: Caller, request: ListRequestsRequest): Promise<ListRequestsResponse__Output> {
    return unwrap(callUnary(this.#client, this.#client.ListRequests, request, within(caller)));
  }

  /** Requests of all accounts, or of the account in the filter. */
  listAllRequests(caller: Caller, filter: ListRequestsRequest): Promise<ListRequestsResponse__Output> {
    return unwrap(callUnary(this.#client, this.#client.ListAllRequests, { filter }, within(caller)));
  }

  /** A request of any account. */
  findRequest(caller: Caller, id: string): Promise<RequestRecord__Output> {
    return unwrap(callUnary(this.#client, this.#client.FindRequest, { id }, within(caller)));
  }

  getRequest(caller: Caller, accountId: string, id: string): Promise<RequestRecord__Output> {
    return unwrap(callUnary(this.#client, this.#client.GetRequest, { accountId, id }, within(caller)));
  }

  getUsage(caller: Caller, request: GetUsageRequest): Promise<GetUsageResponse__Output> {
    return unwrap(callUnary(this.#client, this.#client.GetUsage, request, within(caller)));
  }

  /** Billing's cursors are row numbers. */
  async #paged<T extends { nextCursor: string }>(
    of: string,
    { limit, cursor }: PageQuery,
    ask: (page: PageQuery) => Promise<T | undefined>,
  ): Promise<T> {
    const open = { limit, cursor: cursor === '' ? '' : this.#mask.reveal(of, cursor) };
    const answer = await unwrap(ask(open));
    return { ...answer, nextCursor: answer.nextCursor === '' ? '' : this.#mask.hide(of, answer.nextCursor) };
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

const within = ({ requestId, signal }: Caller) => ({ timeoutMs: TIMEOUT_MS, requestId, signal });

/** grpc-js declares responses as optional; callUnary has already refused an absent one. */
async function unwrap<T>(answer: Promise<T | undefined>): Promise<T> {
  return (await answer) as T;
}
