import { randomInt } from 'node:crypto';
import { type CellBilling, type Cells, HOME_CELL } from '@gateway/call-billing';
import { GatewayError } from '@gateway/errors';
import type { BillingServiceClient } from '@gateway/proto/generated/gateway/billing/v1/BillingService';
import type { ChangedBy } from '@gateway/proto/generated/gateway/billing/v1/ChangedBy';
import type { CreateKeyRequest } from '@gateway/proto/generated/gateway/billing/v1/CreateKeyRequest';
import type { CreateKeyResponse__Output } from '@gateway/proto/generated/gateway/billing/v1/CreateKeyResponse';
import type { GetUsageRequest } from '@gateway/proto/generated/gateway/billing/v1/GetUsageRequest';
import type { LedgerEntry__Output } from '@gateway/proto/generated/gateway/billing/v1/LedgerEntry';
import type { ListAccountsRequest } from '@gateway/proto/generated/gateway/billing/v1/ListAccountsRequest';
import type { ListRequestsRequest } from '@gateway/proto/generated/gateway/billing/v1/ListRequestsRequest';
import type { TopupStatus } from '@gateway/proto/generated/gateway/billing/v1/TopupStatus';
import type { UpdateAccountLimitsRequest } from '@gateway/proto/generated/gateway/billing/v1/UpdateAccountLimitsRequest';
import type { UpdateKeyRequest } from '@gateway/proto/generated/gateway/billing/v1/UpdateKeyRequest';
import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import { type CallSettings, callUnary, type UnaryMethod } from '@gateway/rpc';
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

export interface BillingOptions {
  readonly cells: Cells<CellBilling>;
  /** Cells that new accounts are put into, at random; the name of home is empty. */
  readonly newAccountCells: readonly string[];
  readonly mask: SequenceMask;
}

/** A key of an account, and who changes it. */
export interface KeyChange {
  readonly accountId: string;
  readonly id: string;
  readonly by: ChangedBy;
}

/** The client of every cell's billing, with a deadline on every call. Throws billing's typed errors unchanged. */
export class Billing {
  readonly #cells: Cells<CellBilling>;
  readonly #newAccountCells: readonly string[];
  readonly #mask: SequenceMask;
  /** Only for the names of methods, which are the same for every cell. */
  readonly #client: BillingServiceClient;

  constructor({ cells, newAccountCells, mask }: BillingOptions) {
    this.#cells = cells;
    this.#newAccountCells = newAccountCells;
    this.#mask = mask;
    this.#client = cells.home.client;
  }

  /** Home is the first. */
  get cellNames(): string[] {
    return this.#cells.all.map(nameOf);
  }

  /** Returns the name of the account's cell; home for an unknown account. */
  async cellOf(accountId: string): Promise<string> {
    return nameOf(await this.#cells.ofAccount(accountId));
  }

  /** Idempotent by id. */
  async createAccount({ requestId }: Caller, id: string, name: string) {
    // Not canceled when the client disconnects: the user for whom the account is created needs it.
    const settings = { timeoutMs: TIMEOUT_MS, requestId };
    const { client } = await this.#cellOfNewAccount(id, settings);
    return callUnary(client, client.CreateAccount, { id, name }, settings);
  }

  getAccount(caller: Caller, id: string) {
    return this.#call(caller, id, this.#client.GetAccount, { id });
  }

  getAccountUse(caller: Caller, accountId: string) {
    return this.#call(caller, accountId, this.#client.GetAccountUse, { accountId });
  }

  createKey(caller: Caller, request: CreateKeyRequest) {
    return this.#newKeyValue(caller, request.accountId ?? '', this.#client.CreateKey, request);
  }

  /** @param holderIds only keys with one of these holders; empty: every key */
  listKeys(caller: Caller, accountId: string, page: PageQuery, holderIds: readonly string[] = []) {
    return this.#listMasked('keys', page, (query) =>
      this.#call(caller, accountId, this.#client.ListKeys, {
        accountId,
        ...query,
        holderIds: [...holderIds],
      }),
    );
  }

  getKey(caller: Caller, accountId: string, id: string) {
    return this.#call(caller, accountId, this.#client.GetKey, { accountId, id });
  }

  getKeyUse(caller: Caller, accountId: string, id: string) {
    return this.#call(caller, accountId, this.#client.GetKeyUse, { accountId, id });
  }

  /** Returns what the key may do; fails as a call with the key would. */
  async getKeyContext(caller: Caller, accountId: string, keyId: string): Promise<KeyContext__Output> {
    const { key } = await this.#call(caller, accountId, this.#client.GetKeyContext, {
      accountId,
      keyId,
      valueId: '',
    });
    if (!key) throw new GatewayError('internal_error', { cause: new Error('no key context') });
    return key;
  }

  deleteKey(caller: Caller, accountId: string, id: string) {
    return this.#call(caller, accountId, this.#client.DeleteKey, { accountId, id });
  }

  updateKey(caller: Caller, request: UpdateKeyRequest) {
    return this.#call(caller, request.accountId, this.#client.UpdateKey, request);
  }

  setKeyEnabled(caller: Caller, key: KeyChange, enabled: boolean) {
    return this.#call(caller, key.accountId, this.#client.SetKeyEnabled, { ...key, enabled });
  }

  rotateKey(caller: Caller, key: KeyChange, graceSeconds: number) {
    return this.#newKeyValue(caller, key.accountId, this.#client.RotateKey, { ...key, graceSeconds });
  }

  regenerateKey(caller: Caller, key: KeyChange) {
    return this.#newKeyValue(caller, key.accountId, this.#client.RegenerateKey, key);
  }

  /** Revokes a key of any account. */
  revokeKey(caller: Caller, id: string) {
    return this.#callAny(caller, this.#client.RevokeKey, { id });
  }

  /** Returns undefined for an unknown value. @param reason for the key's owner */
  revokeLeakedValue(caller: Caller, value: string, reason: string) {
    return this.#callAny(caller, this.#client.RevokeLeakedValue, { value, reason }).catch(
      (error: unknown) => {
        if (GatewayError.from(error).code === 'not_found') return undefined;
        throw error;
      },
    );
  }

  /** Finds a key of any account by its complete value. */
  findKey(caller: Caller, value: string) {
    return this.#callAny(caller, this.#client.FindKey, { value });
  }

  /** Lists the accounts of a cell. */
  listAccounts(caller: Caller, cell: string, request: ListAccountsRequest) {
    return this.#callCell(caller, this.#cellNamed(cell), this.#client.ListAccounts, request);
  }

  setAccountSuspended(caller: Caller, id: string, suspended: boolean) {
    return this.#call(caller, id, this.#client.SetAccountSuspended, { id, suspended });
  }

  updateAccountLimits(caller: Caller, request: UpdateAccountLimitsRequest) {
    return this.#call(caller, request.id, this.#client.UpdateAccountLimits, request);
  }

  /** Idempotent. */
  optIn(caller: Caller, accountId: string, model: string) {
    return this.#call(caller, accountId, this.#client.OptIn, { accountId, model });
  }

  getThrottle(caller: Caller) {
    return this.#callCell(caller, this.#cells.home, this.#client.GetThrottle, {});
  }

  /** @param requestsPerSecond 0: no throttle */
  setThrottle(caller: Caller, requestsPerSecond: number) {
    return this.#callCell(caller, this.#cells.home, this.#client.SetThrottle, { requestsPerSecond });
  }

  /** Idempotent by id. */
  async createAdjustment(
    caller: Caller,
    { amountNano, ...adjustment }: { id: string; accountId: string; amountNano: bigint; reason: string },
  ) {
    const request = { ...adjustment, amountNano: amountNano.toString() };
    return this.#masked(await this.#call(caller, request.accountId, this.#client.CreateAdjustment, request));
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
    return this.#call(caller, request.accountId, this.#client.CreateTopup, request);
  }

  /** Idempotent. */
  clearTopup(caller: Caller, id: string) {
    return this.#callAny(caller, this.#client.ClearTopup, { id });
  }

  /** A voided top-up never clears. Idempotent. */
  voidTopup(caller: Caller, id: string) {
    return this.#callAny(caller, this.#client.VoidTopup, { id });
  }

  listTopups(caller: Caller, accountId: string, page: PageQuery) {
    return this.#listMasked('topups', page, (query) =>
      this.#call(caller, accountId, this.#client.ListTopups, { accountId, ...query }),
    );
  }

  /** Lists top-ups of all accounts of a cell. */
  listTopupsByStatus(caller: Caller, cell: string, status: keyof typeof TOPUP_STATUS, page: PageQuery) {
    const request = { status: TOPUP_STATUS[status], ...page };
    return this.#callCell(caller, this.#cellNamed(cell), this.#client.ListTopupsByStatus, request);
  }

  async listLedger(caller: Caller, accountId: string, page: PageQuery) {
    const list = await this.#listMasked('ledger', page, (query) =>
      this.#call(caller, accountId, this.#client.ListLedger, { accountId, ...query }),
    );
    return { ...list, entries: list.entries.map((entry) => this.#masked(entry)) };
  }

  listOperatorLosses(caller: Caller, accountId: string, page: PageQuery) {
    return this.#listMasked('losses', page, (query) =>
      this.#call(caller, accountId, this.#client.ListOperatorLosses, { accountId, ...query }),
    );
  }

  getAbandonedCost(caller: Caller, accountId: string) {
    return this.#call(caller, accountId, this.#client.GetAbandonedCost, { accountId });
  }

  listRequests(caller: Caller, request: ListRequestsRequest) {
    return this.#call(caller, request.accountId, this.#client.ListRequests, request);
  }

  /** Lists requests of all accounts of a cell, or of the account in the filter. */
  async listAllRequests(caller: Caller, cell: string, filter: ListRequestsRequest) {
    const { accountId = '' } = filter;
    const asked = accountId === '' ? this.#cellNamed(cell) : await this.#cells.ofAccount(accountId);
    return this.#callCell(caller, asked, this.#client.ListAllRequests, { filter });
  }

  /** Finds a request of any account. */
  findRequest(caller: Caller, id: string) {
    return this.#callAll(caller, this.#client.FindRequest, { id });
  }

  getRequest(caller: Caller, accountId: string, id: string) {
    return this.#call(caller, accountId, this.#client.GetRequest, { accountId, id });
  }

  getUsage(caller: Caller, request: GetUsageRequest) {
    return this.#call(caller, request.accountId, this.#client.GetUsage, request);
  }

  /** Calls the billing that has the account. */
  async #call<Request, Response>(
    caller: Caller,
    accountId: string | undefined,
    method: UnaryMethod<Request, Response>,
    request: Request,
  ): Promise<NonNullable<Response>> {
    return this.#callCell(caller, await this.#cells.ofAccount(accountId ?? ''), method, request);
  }

  /** Calls the billing of every cell; one of them knows the id or the value in the request. Resolves with the first answer. */
  async #callAny<Request, Response>(
    caller: Caller,
    method: UnaryMethod<Request, Response>,
    request: Request,
  ): Promise<NonNullable<Response>> {
    const answers = this.#cells.all.map((cell) => this.#callCell(caller, cell, method, request));
    try {
      return await Promise.any(answers);
    } catch (thrown) {
      throw firstFailure((thrown as AggregateError).errors);
    }
  }

  /** The same; prefers another cell's record of a request to home's entry in the access log. */
  async #callAll<Request, Response>(
    caller: Caller,
    method: UnaryMethod<Request, Response>,
    request: Request,
  ): Promise<NonNullable<Response>> {
    const answers = await Promise.allSettled(
      this.#cells.all.map((cell) => this.#callCell(caller, cell, method, request)),
    );
    const answer = answers.findLast(({ status }) => status === 'fulfilled');
    if (answer?.status === 'fulfilled') return answer.value;
    throw firstFailure(answers.map((failed) => (failed as PromiseRejectedResult).reason));
  }

  #callCell<Request, Response>(
    { requestId, signal }: Caller,
    { client }: CellBilling,
    method: UnaryMethod<Request, Response>,
    request: Request,
  ): Promise<NonNullable<Response>> {
    return callUnary(client, method, request, { timeoutMs: TIMEOUT_MS, requestId, signal });
  }

  /** Calls a method that returns a new value of a key, and adds it to the directory; if that fails, no cell can resolve the value. */
  async #newKeyValue<Request>(
    caller: Caller,
    accountId: string,
    method: UnaryMethod<Request, CreateKeyResponse__Output>,
    request: Request,
  ): Promise<CreateKeyResponse__Output> {
    const cell = await this.#cells.ofAccount(accountId);
    const answer = await this.#callCell(caller, cell, method, request);
    if (cell !== this.#cells.home) {
      const { value } = answer;
      await this.#callCell(caller, this.#cells.home, this.#client.AddKeyValue, { accountId, value });
    }
    return answer;
  }

  async #cellOfNewAccount(accountId: string, settings: CallSettings): Promise<CellBilling> {
    // A registration that was interrupted may have put it into another cell.
    if (this.#newAccountCells.every((name) => name === '')) return this.#cells.ofAccount(accountId);
    const { client } = this.#cells.home;
    const cell = this.#newAccountCells[randomInt(this.#newAccountCells.length)]!;
    const { name } = await callUnary(client, client.AssignCell, { accountId, cell }, settings);
    return this.#cells.of(name);
  }

  #cellNamed(name: string): CellBilling {
    const cell = this.#cells.find(name === HOME_CELL ? '' : name);
    if (cell) return cell;
    throw new GatewayError('invalid_request', { detail: 'cell: unknown' });
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

const nameOf = ({ name }: CellBilling): string => name || HOME_CELL;

/** Of the errors of all cells: what is not found in those that answer may be in one that does not. */
const firstFailure = (errors: readonly unknown[]): unknown =>
  errors.find((error) => GatewayError.from(error).code !== 'not_found') ?? errors[0];

const TOPUP_STATUS = {
  pending: 'TOPUP_STATUS_PENDING',
  cleared: 'TOPUP_STATUS_CLEARED',
  voided: 'TOPUP_STATUS_VOIDED',
} as const satisfies Record<string, TopupStatus>;
