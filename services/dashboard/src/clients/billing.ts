import type { Account__Output } from '@gateway/proto/generated/gateway/billing/v1/Account';
import type { ApiKey__Output } from '@gateway/proto/generated/gateway/billing/v1/ApiKey';
import type { BillingServiceClient } from '@gateway/proto/generated/gateway/billing/v1/BillingService';
import type { CreateKeyRequest } from '@gateway/proto/generated/gateway/billing/v1/CreateKeyRequest';
import type { CreateKeyResponse__Output } from '@gateway/proto/generated/gateway/billing/v1/CreateKeyResponse';
import type { ListKeysResponse__Output } from '@gateway/proto/generated/gateway/billing/v1/ListKeysResponse';
import type { ListLedgerResponse__Output } from '@gateway/proto/generated/gateway/billing/v1/ListLedgerResponse';
import type { ListTopupsResponse__Output } from '@gateway/proto/generated/gateway/billing/v1/ListTopupsResponse';
import type { Topup__Output } from '@gateway/proto/generated/gateway/billing/v1/Topup';
import { callUnary } from '@gateway/runtime';

const TIMEOUT_MS = 5_000;

/** What a call passes on: who asked, and when the asker is gone. */
export interface Caller {
  readonly requestId: string;
  readonly signal: AbortSignal;
}

export interface PageQuery {
  readonly limit: number;
  readonly cursor: string;
}

/** Billing, with a deadline on every call. Its typed errors are thrown as they are. */
export class Billing {
  readonly #client: BillingServiceClient;

  constructor(client: BillingServiceClient) {
    this.#client = client;
  }

  /** Idempotent by id. */
  createAccount(caller: Caller, id: string, name: string): Promise<Account__Output> {
    // Not given up when the asker leaves: the user that it is made for would miss it.
    const settings = { timeoutMs: TIMEOUT_MS, requestId: caller.requestId };
    return unwrap(callUnary(this.#client, this.#client.CreateAccount, { id, name }, settings));
  }

  getAccount(caller: Caller, id: string): Promise<Account__Output> {
    return unwrap(callUnary(this.#client, this.#client.GetAccount, { id }, within(caller)));
  }

  createKey(caller: Caller, request: CreateKeyRequest): Promise<CreateKeyResponse__Output> {
    return unwrap(callUnary(this.#client, this.#client.CreateKey, request, within(caller)));
  }

  listKeys(caller: Caller, accountId: string, page: PageQuery): Promise<ListKeysResponse__Output> {
    return unwrap(callUnary(this.#client, this.#client.ListKeys, { accountId, ...page }, within(caller)));
  }

  getKey(caller: Caller, accountId: string, id: string): Promise<ApiKey__Output> {
    return unwrap(callUnary(this.#client, this.#client.GetKey, { accountId, id }, within(caller)));
  }

  deleteKey(caller: Caller, accountId: string, id: string): Promise<ApiKey__Output> {
    return unwrap(callUnary(this.#client, this.#client.DeleteKey, { accountId, id }, within(caller)));
  }

  /** Idempotent by id. */
  createTopup(
    caller: Caller,
    topup: { id: string; accountId: string; amountNano: bigint; status: 'cleared' | 'pending' },
  ): Promise<Topup__Output> {
    const request = {
      id: topup.id,
      accountId: topup.accountId,
      amountNano: topup.amountNano.toString(),
      status: topup.status === 'cleared' ? 'TOPUP_STATUS_CLEARED' : 'TOPUP_STATUS_PENDING',
    } as const;
    return unwrap(callUnary(this.#client, this.#client.CreateTopup, request, within(caller)));
  }

  /** Idempotent. */
  clearTopup(caller: Caller, id: string): Promise<Topup__Output> {
    return unwrap(callUnary(this.#client, this.#client.ClearTopup, { id }, within(caller)));
  }

  listTopups(caller: Caller, accountId: string, page: PageQuery): Promise<ListTopupsResponse__Output> {
    return unwrap(callUnary(this.#client, this.#client.ListTopups, { accountId, ...page }, within(caller)));
  }

  listLedger(caller: Caller, accountId: string, page: PageQuery): Promise<ListLedgerResponse__Output> {
    return unwrap(callUnary(this.#client, this.#client.ListLedger, { accountId, ...page }, within(caller)));
  }
}

const within = ({ requestId, signal }: Caller) => ({ timeoutMs: TIMEOUT_MS, requestId, signal });

/** grpc-js types an answer as possibly absent; callUnary has already refused that. */
async function unwrap<T>(answer: Promise<T | undefined>): Promise<T> {
  return (await answer) as T;
}
