import { loadService } from '@gateway/proto';
import type { ProtoGrpcType } from '@gateway/proto/generated/billing';
import { type Logger, type Pool, type ServiceBinding, unary } from '@gateway/runtime';
import type { Delivery, DeliveryOutcome } from '../domain/delivery';
import { clearTopup } from './clear-topup';
import { createAccount } from './create-account';
import { createKey } from './create-key';
import { createTopup } from './create-topup';
import { deleteKey } from './delete-key';
import { deliver } from './deliver';
import { getAccount } from './get-account';
import { getKey } from './get-key';
import { heartbeat } from './heartbeat';
import type { KeyWatchers } from './key-watchers';
import { listKeys } from './list-keys';
import { listLedger } from './list-ledger';
import { listOpenHolds } from './list-open-holds';
import { listTopups } from './list-topups';
import type { ReserveStreams } from './reserve';
import { resolveKey } from './resolve-key';

export interface ServiceParts {
  readonly pool: Pool;
  readonly peppers: readonly string[];
  readonly watchers: KeyWatchers;
  readonly reserveStreams: ReserveStreams;
  settle(delivery: Delivery): Promise<DeliveryOutcome>;
  readonly log: Logger;
}

/** The methods of BillingService, each open to the services that need it. */
export function billingService({ pool, peppers, log, ...parts }: ServiceParts): ServiceBinding[] {
  const { service } = loadService<ProtoGrpcType>('billing').gateway.billing.v1.BillingService;
  const group = (callers: readonly string[], handlers: ServiceBinding['handlers']): ServiceBinding => ({
    callers,
    handlers,
    definition: Object.fromEntries(Object.entries(service).filter(([name]) => Object.hasOwn(handlers, name))),
  });
  return [
    group(['edge'], { ResolveKey: unary(log, resolveKey(pool, peppers)), WatchKeys: parts.watchers.watch }),
    group(['chat', 'media'], {
      Reserve: parts.reserveStreams.reserve,
      Deliver: unary(log, deliver(parts.settle)),
      Heartbeat: unary(log, heartbeat(pool)),
      ListOpenHolds: unary(log, listOpenHolds(pool)),
    }),
    group(['dashboard'], {
      CreateAccount: unary(log, createAccount(pool)),
      GetAccount: unary(log, getAccount(pool)),
      CreateKey: unary(log, createKey(pool, peppers[0]!)),
      ListKeys: unary(log, listKeys(pool)),
      GetKey: unary(log, getKey(pool)),
      DeleteKey: unary(log, deleteKey(pool)),
      CreateTopup: unary(log, createTopup(pool)),
      ClearTopup: unary(log, clearTopup(pool)),
      ListTopups: unary(log, listTopups(pool)),
      ListLedger: unary(log, listLedger(pool)),
    }),
  ];
}
