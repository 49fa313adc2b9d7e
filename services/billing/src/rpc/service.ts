import { GatewayError } from '@gateway/errors';
import type { Pool } from '@gateway/postgres';
import type { Logger } from '@gateway/process';
import type { ProtoGrpcType } from '@gateway/proto/generated/billing';
import { type FairSemaphore, SemaphoreExhausted } from '@gateway/quota';
import { loadService, type RequestContext, type ServiceBinding, unary } from '@gateway/rpc';
import type { Delivery, DeliveryOutcome } from '../settle/rules/delivery';
import { addKeyValue } from './add-key-value';
import { appendAccessLog } from './append-access-log';
import { assignCell } from './assign-cell';
import { clearTopup } from './clear-topup';
import { closeCall } from './close-call';
import { createAccount } from './create-account';
import { createAdjustment } from './create-adjustment';
import { createKey } from './create-key';
import { createTopup } from './create-topup';
import { deleteKey } from './delete-key';
import { deliver } from './deliver';
import { findCell } from './find-cell';
import { findKey } from './find-key';
import { findRequest } from './find-request';
import { getAbandonedCost } from './get-abandoned-cost';
import { getAccount } from './get-account';
import { getAccountUse } from './get-account-use';
import { getKey } from './get-key';
import { getKeyContext } from './get-key-context';
import { getKeyUse } from './get-key-use';
import { getRequest } from './get-request';
import { getThrottle } from './get-throttle';
import { getUsage } from './get-usage';
import { heartbeat } from './heartbeat';
import type { KeyWatchers } from './key-watchers';
import { leaseThrottle } from './lease-throttle';
import { listAccounts } from './list-accounts';
import { listAllRequests } from './list-all-requests';
import { listKeys } from './list-keys';
import { listLedger } from './list-ledger';
import { listOpenHolds } from './list-open-holds';
import { listOperatorLosses } from './list-operator-losses';
import { listRequests } from './list-requests';
import { listTopups } from './list-topups';
import { listTopupsByStatus } from './list-topups-by-status';
import { optIn } from './opt-in';
import { regenerateKey } from './regenerate-key';
import { reportRefusals } from './report-refusals';
import type { ReserveStreams } from './reserve';
import { resolveKey } from './resolve-key';
import { revokeKey } from './revoke-key';
import { revokeLeakedValue } from './revoke-leaked-value';
import { rotateKey } from './rotate-key';
import { setAccountSuspended } from './set-account-suspended';
import { setKeyEnabled } from './set-key-enabled';
import { setThrottle } from './set-throttle';
import { updateAccountLimits } from './update-account-limits';
import { updateKey } from './update-key';
import { voidTopup } from './void-topup';

export interface ServiceParts {
  readonly pool: Pool;
  readonly listPool: Pool;
  /** Limits queries that take longer the more data there is. */
  readonly lists: FairSemaphore;
  readonly changes: FairSemaphore;
  readonly peppers: readonly string[];
  /** Empty: home. */
  readonly cell: string;
  readonly abandonedCostLimitNano: bigint;
  readonly watchers: KeyWatchers;
  readonly reserveStreams: ReserveStreams;
  settle(delivery: Delivery): Promise<DeliveryOutcome>;
  readonly log: Logger;
}

type Answer<Request, Response> = (context: RequestContext, request: Request) => Promise<Response>;

/** Runs `answer` when the semaphore admits its account. @throws GatewayError `rate_limited` when it is exhausted */
const limited =
  <Request, Response>(
    semaphore: FairSemaphore,
    accountOf: (request: Request) => string,
    answer: Answer<Request, Response>,
  ): Answer<Request, Response> =>
  async (context, request) => {
    try {
      return await semaphore.run(accountOf(request), () => answer(context, request));
    } catch (cause) {
      if (!(cause instanceof SemaphoreExhausted)) throw cause;
      throw new GatewayError('rate_limited', {
        detail: 'the account has too many requests of this kind in progress',
        retryAfterSeconds: 1,
        cause,
      });
    }
  };

/** The methods of BillingService. */
export function billingService({
  pool,
  listPool,
  peppers,
  cell,
  log,
  ...parts
}: ServiceParts): ServiceBinding {
  const { service: definition } = loadService<ProtoGrpcType>('billing').gateway.billing.v1.BillingService;
  /** A change to data that edges cache: notifies them. */
  const notifying = <Request, Response extends object>(
    idOf: (request: Request) => string,
    change: Answer<Request, Response>,
  ) =>
    unary(log, (context: RequestContext, request: Request) =>
      parts.watchers.afterNotifying(idOf(request), () => change(context, request)),
    );
  const listed = <Request extends { accountId: string }, Response extends object>(
    answer: Answer<Request, Response>,
  ) =>
    unary(
      log,
      limited(parts.lists, ({ accountId }) => accountId, answer),
    );
  /** A change by the account's users. Operators' changes are few, and must not be kept out by those. */
  const change = <Request extends { accountId: string }, Response extends object>(
    answer: Answer<Request, Response>,
  ) => limited(parts.changes, ({ accountId }: Request) => accountId, answer);
  const handlers: ServiceBinding['handlers'] = {
    ResolveKey: unary(log, resolveKey(pool, peppers, cell)),
    WatchKeys: parts.watchers.watch,
    LeaseThrottle: unary(log, leaseThrottle(pool)),
    AppendAccessLog: unary(log, appendAccessLog(pool)),
    Reserve: parts.reserveStreams.reserve,
    Deliver: unary(log, deliver(parts.settle)),
    Heartbeat: unary(log, heartbeat(pool)),
    ListOpenHolds: unary(log, listOpenHolds(pool)),
    ReportRefusals: unary(log, reportRefusals(pool)),
    GetKeyContext: unary(log, getKeyContext(pool, cell)),
    CloseCall: unary(log, closeCall(pool)),
    GetAccount: unary(log, getAccount(pool)),
    GetKey: unary(log, getKey(pool)),
    GetKeyUse: unary(log, getKeyUse(pool)),
    FindCell: unary(log, findCell(pool)),
    AssignCell: unary(log, assignCell(pool)),
    AddKeyValue: unary(log, addKeyValue(pool, peppers[0]!)),
    CreateAccount: unary(log, createAccount(pool)),
    CreateKey: unary(log, change(createKey(pool, peppers[0]!))),
    ListKeys: listed(listKeys(listPool)),
    GetAccountUse: unary(log, getAccountUse(pool)),
    DeleteKey: notifying(({ id }) => id, change(deleteKey(pool))),
    CreateAdjustment: unary(log, createAdjustment(pool)),
    GetThrottle: unary(log, getThrottle(pool)),
    ListAccounts: unary(log, listAccounts(listPool)),
    OptIn: notifying(({ accountId }) => accountId, change(optIn(pool))),
    FindKey: unary(log, findKey(pool, peppers)),
    FindRequest: unary(log, findRequest(listPool)),
    ListAllRequests: unary(log, listAllRequests(listPool)),
    RegenerateKey: notifying(({ id }) => id, change(regenerateKey(pool, peppers[0]!))),
    RevokeKey: notifying(({ id }) => id, revokeKey(pool)),
    RevokeLeakedValue: unary(log, revokeLeakedValue(pool, peppers, parts.watchers)),
    RotateKey: notifying(({ id }) => id, change(rotateKey(pool, peppers[0]!))),
    SetAccountSuspended: notifying(({ id }) => id, setAccountSuspended(pool)),
    SetKeyEnabled: notifying(({ id }) => id, change(setKeyEnabled(pool))),
    SetThrottle: unary(log, setThrottle(pool)),
    UpdateAccountLimits: unary(
      log,
      limited(parts.changes, ({ id }) => id, updateAccountLimits(pool)),
    ),
    UpdateKey: notifying(({ id }) => id, change(updateKey(pool))),
    CreateTopup: unary(log, createTopup(pool)),
    ClearTopup: unary(log, clearTopup(pool)),
    VoidTopup: unary(log, voidTopup(pool)),
    ListTopups: listed(listTopups(listPool)),
    ListTopupsByStatus: unary(log, listTopupsByStatus(listPool)),
    ListLedger: listed(listLedger(listPool)),
    ListOperatorLosses: unary(log, listOperatorLosses(listPool)),
    GetAbandonedCost: unary(log, getAbandonedCost(pool, parts.abandonedCostLimitNano)),
    ListRequests: listed(listRequests(listPool)),
    GetRequest: unary(log, getRequest(pool)),
    GetUsage: listed(getUsage(listPool)),
  };
  return { definition, handlers };
}
