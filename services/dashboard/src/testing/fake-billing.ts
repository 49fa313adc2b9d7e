import { GatewayError, loadService } from '@gateway/proto';
import type { ProtoGrpcType } from '@gateway/proto/generated/billing';
import type { CreateKeyRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/CreateKeyRequest';
import type { Topup } from '@gateway/proto/generated/gateway/billing/v1/Topup';
import { type Logger, startGrpcServer, unary } from '@gateway/runtime';

const NOW_MS = String(Date.UTC(2026, 0, 2, 3, 4, 5));

/** Billing's side of the contract, in memory. */
export async function startFakeBilling(log: Logger, secret: string) {
  const accounts = new Map<string, { id: string; name: string; balanceNano: bigint; heldNano: bigint }>();
  const keys: (CreateKeyRequest__Output & { id: string })[] = [];
  const topups = new Map<string, Topup>();
  /** Calls to fail before the next one succeeds. */
  const failing = { count: 0 };
  const createAccountIds: string[] = [];

  const accountOf = (id: string) => {
    const account = accounts.get(id);
    if (!account) throw new GatewayError('not_found');
    return account;
  };
  const toKey = (key: CreateKeyRequest__Output & { id: string }) => ({
    ...key,
    status: 'KEY_STATUS_ENABLED' as const,
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
  // biome-ignore lint/suspicious/noExplicitAny: each handler reads the fields of its own request.
  const handlers: Record<string, (request: any) => unknown> = {
    CreateAccount({ id, name }) {
      createAccountIds.push(id);
      if (failing.count > 0) {
        failing.count -= 1;
        throw new GatewayError('internal_error');
      }
      if (!accounts.has(id)) accounts.set(id, { id, name, balanceNano: 0n, heldNano: 0n });
      return { id, name };
    },
    GetAccount({ id }) {
      const { balanceNano, heldNano } = accountOf(id);
      return { id, balanceNano: balanceNano.toString(), heldNano: heldNano.toString() };
    },
    CreateKey(request) {
      const key = { ...request, id: `key_${keys.length + 1}` };
      keys.push(key);
      return { key: toKey(key), value: `sk-gw-${key.id}` };
    },
    ListKeys(request) {
      const { rows, nextCursor } = page(
        keys.filter((key) => key.accountId === request.accountId),
        request,
      );
      return { keys: rows.map(toKey), nextCursor };
    },
    GetKey: ({ accountId, id }) => toKey(ownKey(accountId, id)),
    DeleteKey: ({ accountId, id }) => ({ ...toKey(ownKey(accountId, id)), status: 'KEY_STATUS_DELETED' }),
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
    ClearTopup({ id }) {
      const topup = topups.get(id);
      if (!topup) throw new GatewayError('not_found');
      return { ...topup, status: 'TOPUP_STATUS_CLEARED', clearedAtMs: NOW_MS };
    },
    ListTopups(request) {
      const own = [...topups.values()].filter((topup) => topup.accountId === request.accountId);
      const { rows, nextCursor } = page(own, request);
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
      return { entries: [entry], nextCursor: '' };
    },
  };
  const { service } = loadService<ProtoGrpcType>('billing').gateway.billing.v1.BillingService;
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    secrets: [secret],
    services: [
      {
        definition: service,
        handlers: Object.fromEntries(
          Object.entries(handlers).map(([name, handle]) => [
            name,
            unary(log, async (_context, request) => handle(request)),
          ]),
        ),
        callers: ['dashboard'],
      },
    ],
  });
  return { server, accounts, keys, topups, failing, createAccountIds };
}
