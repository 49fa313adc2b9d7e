import { GatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/process';
import type { ProtoGrpcType } from '@gateway/proto/generated/billing';
import type { CreateKeyRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/CreateKeyRequest';
import type { LedgerEntry } from '@gateway/proto/generated/gateway/billing/v1/LedgerEntry';
import type { RequestRecord } from '@gateway/proto/generated/gateway/billing/v1/RequestRecord';
import type { Topup } from '@gateway/proto/generated/gateway/billing/v1/Topup';
import { loadService, sharedSecret, startGrpcServer, unary } from '@gateway/rpc';

interface FakeAccount {
  id: string;
  name: string;
  balanceNano: bigint;
  heldNano: bigint;
  suspended: boolean;
  dailyLimitNano?: string;
  whenShort: string;
  previewModels: string[];
  bareModelNames?: boolean;
}
type FakeKey = CreateKeyRequest__Output & {
  id: string;
  status: string;
  revokedAtMs?: string;
  revokeReason?: string;
  holderIds: string[];
  ownerLimits: string[];
};

const FIELD_OF_LIMIT: Record<string, keyof FakeKey> = {
  KEY_LIMIT_EXPIRES_AT: 'expiresAtMs',
  KEY_LIMIT_DAILY: 'dailyLimitNano',
  KEY_LIMIT_MONTHLY: 'monthlyLimitNano',
  KEY_LIMIT_REQUEST_COST: 'requestCostLimitNano',
  KEY_LIMIT_RPM: 'rpmLimit',
  KEY_LIMIT_TPM: 'tpmLimit',
  KEY_LIMIT_BARE_MODEL_NAMES: 'bareModelNames',
};

const USAGE = {
  calls: '3',
  errors: '1',
  inputTokens: '10',
  outputTokens: '20',
  images: '2',
  videoMs: '5500',
  costNano: '1500000000',
};

const NOW_MS = String(Date.UTC(2026, 0, 2, 3, 4, 5));

/** Billing's side of the contract, in memory. */
export async function startFakeBilling(log: Logger, secret: string) {
  const accounts = new Map<string, FakeAccount>();
  const keys: FakeKey[] = [];
  const topups = new Map<string, Topup>();
  const adjustments = new Map<string, LedgerEntry>();
  const requests: RequestRecord[] = [];
  const throttle = { requestsPerSecond: 0 };
  /** All calls, in order. */
  const calls: { method: string; request: unknown }[] = [];
  let values = 0;
  /** Number of calls that fail before the next one succeeds. */
  const failing = { count: 0 };
  const createAccountIds: string[] = [];

  const accountOf = (id: string) => {
    const account = accounts.get(id);
    if (!account) throw new GatewayError('not_found');
    return account;
  };
  const toAccount = ({ balanceNano, heldNano, suspended, ...rest }: FakeAccount) => ({
    ...rest,
    balanceNano: balanceNano.toString(),
    heldNano: heldNano.toString(),
    status: suspended ? 'ACCOUNT_STATUS_SUSPENDED' : 'ACCOUNT_STATUS_ACTIVE',
    createdAtMs: NOW_MS,
  });
  const toKey = (key: FakeKey) => ({
    ...key,
    createdAtMs: NOW_MS,
    hint: 'abcd',
  });
  const page = <T>(rows: readonly T[], { limit, cursor }: { limit: number; cursor: string }) => {
    const from = Number(cursor || 0);
    const nextCursor = rows.length > from + limit ? String(from + limit) : '';
    return { rows: rows.slice(from, from + limit), nextCursor };
  };
  const ownKey = (accountId: string, id: string) => {
    const key = keys.find((one) => one.id === id && one.accountId === accountId);
    if (!key) throw new GatewayError('not_found');
    return key;
  };
  const topupOf = (id: string) => {
    const topup = topups.get(id);
    if (!topup) throw new GatewayError('not_found');
    return topup;
  };
  const newValue = (key: FakeKey) => `sk-gw-${key.id}-${++values}`;
  // biome-ignore lint/suspicious/noExplicitAny: each handler reads the fields of its own request.
  const handlers: Record<string, (request: any) => unknown> = {
    CreateAccount({ id, name }) {
      createAccountIds.push(id);
      if (failing.count > 0) {
        failing.count -= 1;
        throw new GatewayError('internal_error');
      }
      const empty = { balanceNano: 0n, heldNano: 0n, suspended: false, previewModels: [] };
      if (!accounts.has(id)) accounts.set(id, { id, name, ...empty, whenShort: 'WHEN_SHORT_UNSPECIFIED' });
      return toAccount(accountOf(id));
    },
    GetAccount: ({ id }) => toAccount(accountOf(id)),
    ListAccounts(request) {
      const { query, alsoIds } = request;
      const meant = ({ id, name }: FakeAccount) =>
        id === query || alsoIds.includes(id) || name.toLowerCase().includes(query.toLowerCase());
      const { rows, nextCursor } = page([...accounts.values()].filter(meant), request);
      return { accounts: rows.map(toAccount), nextCursor };
    },
    SetAccountSuspended({ id, suspended }) {
      accountOf(id).suspended = suspended;
      return toAccount(accountOf(id));
    },
    UpdateAccountLimits({ id, dailyLimitNano, liftDailyLimit, whenShort, bareModelNames }) {
      const account = accountOf(id);
      if (liftDailyLimit) delete account.dailyLimitNano;
      else if (dailyLimitNano !== undefined) account.dailyLimitNano = dailyLimitNano;
      if (whenShort !== 'WHEN_SHORT_UNSPECIFIED') account.whenShort = whenShort;
      if (bareModelNames !== undefined) account.bareModelNames = bareModelNames;
      return toAccount(account);
    },
    OptIn({ accountId, model }) {
      const account = accountOf(accountId);
      account.previewModels = [...new Set([...account.previewModels, model])];
      return toAccount(account);
    },
    GetThrottle: () => throttle,
    SetThrottle: ({ requestsPerSecond }) => Object.assign(throttle, { requestsPerSecond }),
    CreateAdjustment({ id, accountId, amountNano, reason: note }) {
      const account = accountOf(accountId);
      const known = adjustments.get(id);
      if (known) return known;
      account.balanceNano += BigInt(amountNano);
      const kind = 'LEDGER_KIND_ADJUSTMENT' as const;
      const entry = { id: '2', accountId, kind, amountNano, reference: id, createdAtMs: NOW_MS, note };
      adjustments.set(id, entry);
      return entry;
    },
    CreateKey(request) {
      const holderIds = [request.by.userId];
      const id = `key_${keys.length + 1}`;
      const key = { ...request, id, status: 'KEY_STATUS_ENABLED', holderIds, ownerLimits: [] };
      keys.push(key);
      return { key: toKey(key), value: newValue(key) };
    },
    UpdateKey({ accountId, id, lift, setAllowedModels, allowedModels, ...changes }) {
      const { by: _by, setScopes, scopes, setAllowedIps, allowedIps, ...others } = changes;
      const key = ownKey(accountId, id);
      for (const [field, value] of Object.entries(others)) {
        if (value !== undefined) Object.assign(key, { [field]: value });
      }
      if (setAllowedModels) key.allowedModels = allowedModels;
      if (setScopes) key.scopes = scopes;
      if (setAllowedIps) key.allowedIps = allowedIps;
      for (const limit of lift) delete key[FIELD_OF_LIMIT[limit]!];
      return toKey(key);
    },
    SetKeyEnabled({ accountId, id, enabled }) {
      const key = ownKey(accountId, id);
      key.status = enabled ? 'KEY_STATUS_ENABLED' : 'KEY_STATUS_DISABLED';
      return toKey(key);
    },
    RotateKey({ accountId, id, by }) {
      const key = ownKey(accountId, id);
      key.holderIds = [...new Set([...key.holderIds, by.userId])];
      return { key: toKey(key), value: newValue(key) };
    },
    RegenerateKey({ accountId, id, by }) {
      const key = ownKey(accountId, id);
      key.holderIds = [by.userId];
      return { key: toKey(key), value: newValue(key) };
    },
    RevokeKey({ id }) {
      const key = keys.find((one) => one.id === id);
      if (!key) throw new GatewayError('not_found');
      key.status = 'KEY_STATUS_REVOKED';
      return toKey(key);
    },
    RevokeLeakedValue({ value, reason }) {
      const key = keys.find(({ id }) => value.startsWith(`sk-gw-${id}-`));
      if (!key) throw new GatewayError('not_found');
      if (key.status === 'KEY_STATUS_REVOKED') {
        return { key: toKey(key), outcome: 'LEAKED_VALUE_OUTCOME_UNCHANGED' };
      }
      key.status = 'KEY_STATUS_REVOKED';
      key.revokedAtMs = NOW_MS;
      key.revokeReason = reason;
      return { key: toKey(key), outcome: 'LEAKED_VALUE_OUTCOME_KEY_REVOKED' };
    },
    FindKey({ value }) {
      if (!/^sk-gw-key_\d+-\d+$/.test(value)) throw new GatewayError('invalid_request');
      const key = keys.find(({ id }) => value.startsWith(`sk-gw-${id}-`));
      if (!key) throw new GatewayError('not_found');
      return { key: toKey(key), valueEndsAtMs: NOW_MS };
    },
    ListKeys(request) {
      const { rows, nextCursor } = page(
        keys.filter(
          ({ accountId, holderIds }) =>
            accountId === request.accountId &&
            (request.holderIds.length === 0 ||
              request.holderIds.some((id: string) => holderIds.includes(id))),
        ),
        request,
      );
      return { keys: rows.map(toKey), nextCursor };
    },
    GetKeyContext({ accountId, keyId }) {
      const key = ownKey(accountId, keyId);
      if (key.status !== 'KEY_STATUS_ENABLED') throw new GatewayError('invalid_api_key');
      return { key: { keyId, accountId, allowedModels: key.allowedModels } };
    },
    GetKey: ({ accountId, id }) => toKey(ownKey(accountId, id)),
    GetAccountUse({ accountId }) {
      accountOf(accountId);
      return { dayNano: '3500000000', dayEndsAtMs: String(Date.UTC(2026, 0, 3)) };
    },
    GetKeyUse({ accountId, id }) {
      const { rpmLimit } = ownKey(accountId, id);
      return {
        dayNano: '1500000000',
        monthNano: '2500000000',
        accountDayNano: '3500000000',
        dayEndsAtMs: String(Date.UTC(2026, 0, 3)),
        monthEndsAtMs: String(Date.UTC(2026, 1, 1)),
        ...(rpmLimit !== undefined && { minute: { requests: '4', tokens: '500' } }),
      };
    },
    DeleteKey({ accountId, id }) {
      const key = ownKey(accountId, id);
      key.status = 'KEY_STATUS_DELETED';
      return toKey(key);
    },
    CreateTopup(request) {
      const account = accountOf(request.accountId);
      const known = topups.get(request.id);
      if (known) return known;
      const cleared = request.status === 'TOPUP_STATUS_CLEARED';
      if (cleared) account.balanceNano += BigInt(request.amountNano);
      const topup = { ...request, createdAtMs: NOW_MS, ...(cleared && { clearedAtMs: NOW_MS }) };
      topups.set(request.id, topup);
      return topup;
    },
    ClearTopup: ({ id }) => ({ ...topupOf(id), status: 'TOPUP_STATUS_CLEARED', clearedAtMs: NOW_MS }),
    VoidTopup({ id }) {
      const voided: Topup = { ...topupOf(id), status: 'TOPUP_STATUS_VOIDED', voidedAtMs: NOW_MS };
      topups.set(id, voided);
      return voided;
    },
    ListTopups(request) {
      const own = [...topups.values()].filter((topup) => topup.accountId === request.accountId);
      const { rows, nextCursor } = page(own, request);
      return { topups: rows, nextCursor };
    },
    ListTopupsByStatus(request) {
      const meant = [...topups.values()].filter(({ status }) => status === request.status);
      const { rows, nextCursor } = page(meant, request);
      return { topups: rows, nextCursor };
    },
    ListLedger(request) {
      const entry = {
        id: '1',
        accountId: request.accountId,
        kind: 'LEDGER_KIND_CHARGE',
        amountNano: '-1500',
        reference: 'a-call',
        createdAtMs: NOW_MS,
      };
      const adjusted = [...adjustments.values()].filter(({ accountId }) => accountId === request.accountId);
      return { entries: [...adjusted, entry], nextCursor: '' };
    },
    ListOperatorLosses: ({ limit }) => ({
      losses: [{ requestId: 'a-call', reason: 'abandoned', amountNano: '1500', createdAtMs: NOW_MS }].slice(
        0,
        limit,
      ),
      nextCursor: '',
    }),
    GetAbandonedCost({ accountId }) {
      if (!accounts.has(accountId)) throw new GatewayError('not_found');
      return { hourNano: '1500', limitNano: '1000', limitedUntilMs: NOW_MS };
    },
    ListRequests(request) {
      const own = requests.filter(({ accountId }) => accountId === request.accountId);
      const { rows, nextCursor } = page(own, request);
      return { requests: rows, nextCursor };
    },
    GetRequest({ accountId, id }) {
      const found = requests.find((one) => one.id === id && one.accountId === accountId);
      if (!found) throw new GatewayError('not_found');
      return found;
    },
    ListAllRequests({ filter }) {
      const { accountId } = filter;
      const { rows, nextCursor } = page(
        requests.filter((one) => accountId === '' || one.accountId === accountId),
        filter,
      );
      return { requests: rows, nextCursor };
    },
    FindRequest({ id }) {
      const found = requests.find((one) => one.id === id);
      if (!found) throw new GatewayError('not_found');
      return found;
    },
    GetUsage: ({ fromDay }) => ({ groups: [{ ...USAGE, group: fromDay, model: 'sim/chat', keyId: 'k' }] }),
  };
  const { service } = loadService<ProtoGrpcType>('billing').gateway.billing.v1.BillingService;
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    trust: sharedSecret('billing', secret),
    services: [
      {
        definition: service,
        handlers: Object.fromEntries(
          Object.keys(handlers).map((name) => [
            name,
            unary(log, async (_context, request) => {
              calls.push({ method: name, request });
              return handlers[name]!(request);
            }),
          ]),
        ),
      },
    ],
  });
  return { server, handlers, accounts, keys, topups, requests, throttle, calls, failing, createAccountIds };
}
