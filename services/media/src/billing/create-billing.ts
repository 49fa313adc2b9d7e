import { randomUUID } from 'node:crypto';
import {
  grpcDelivery,
  kafkaDelivery,
  ReserveClient,
  startHeartbeat,
  UsageOutbox,
} from '@gateway/call-billing';
import { createPool, type Pool } from '@gateway/postgres';
import type { Logger } from '@gateway/process';
import type { BillingServiceClient } from '@gateway/proto/generated/gateway/billing/v1/BillingService';
import type { PeerInstances } from '@gateway/rpc';
import type { Settings } from '../settings';
import { Bills } from '../store/bills';
import { newTaskId } from '../videos/new-task-id';
import { Admission } from './admission';
import { BillOutbox } from './bill-outbox';
import { MEDIA_OWNER } from './rules/owner';

const DELIVERY_DRAIN_MS = 3_000;

export interface MediaBillingOptions {
  readonly settings: Settings;
  readonly log: Logger;
  readonly pool: Pool;
  readonly billing: BillingServiceClient;
  readonly billingInstances: PeerInstances<BillingServiceClient>;
}

/** Everything this process needs to reserve money and keep its bills. */
export interface MediaBilling {
  /** Id of this run of the process. */
  readonly instanceId: string;
  readonly admission: Admission;
  readonly bills: Bills;
  readonly billOutbox: BillOutbox;
  readonly reserve: ReserveClient;
  close(): Promise<void>;
}

/** Resolves when other instances see this one as alive. */
export async function createBilling(options: MediaBillingOptions): Promise<MediaBilling> {
  const { settings, log, pool, billing } = options;
  const instanceId = randomUUID();
  const outboxPool = createPool({
    url: settings.DATABASE_URL,
    log,
    maxConnections: 2,
    statementTimeoutMs: 2_000,
  });
  const bills = new Bills(pool, instanceId);
  const outbox = new UsageOutbox({
    delivery: settings.kafka
      ? kafkaDelivery({ clientId: 'gateway-media', connection: settings.kafka, log })
      : grpcDelivery(billing),
    log,
    onDelivered: (event) => billOutbox.delivered(event),
  });
  const billOutbox: BillOutbox = new BillOutbox({
    bills,
    instanceId,
    pool: outboxPool,
    outbox,
    log,
    leaseMs: settings.INSTANCE_LEASE_MS,
    newTaskId,
  });
  await billOutbox.start();
  const reserve = new ReserveClient({
    instances: options.billingInstances,
    log,
    timeoutMs: settings.RESERVE_TIMEOUT_MS,
    // Admission releases the hold: the call's bill exists before the hold is requested.
    onUnknownOutcome: () => {},
  });
  const stopHeartbeat = startHeartbeat(billing, MEDIA_OWNER, log);
  return {
    instanceId,
    admission: new Admission({ reserve, outbox, bills, billOutbox }),
    bills,
    billOutbox,
    reserve,
    async close() {
      reserve.close();
      await outbox.close(DELIVERY_DRAIN_MS);
      await billOutbox.stop();
      stopHeartbeat();
      await outboxPool.end();
    },
  };
}
