import { randomUUID } from 'node:crypto';
import {
  type CellBilling,
  type Cells,
  connectCells,
  ReserveClient,
  startHeartbeat,
  UsageOutbox,
  WaitingEvents,
} from '@gateway/call-billing';
import { createPool, type Pool } from '@gateway/postgres';
import type { Logger } from '@gateway/process';
import type { Trust } from '@gateway/rpc';
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
  readonly trust: Trust;
}

/** Everything this process needs to reserve money and keep its bills. */
export interface MediaBilling {
  /** Id of this run of the process. */
  readonly instanceId: string;
  readonly cells: Cells<CellBilling>;
  readonly admission: Admission;
  readonly bills: Bills;
  readonly billOutbox: BillOutbox;
  /** Whether home's billing can be reached. */
  readonly up: boolean;
  close(): Promise<void>;
}

/** Resolves when other instances see this one as alive. */
export async function createBilling(options: MediaBillingOptions): Promise<MediaBilling> {
  const { settings, log, pool, trust } = options;
  const instanceId = randomUUID();
  const outboxPool = createPool({
    url: settings.DATABASE_URL,
    log,
    maxConnections: 2,
    statementTimeoutMs: 2_000,
  });
  const bills = new Bills(pool, instanceId);
  const waiting = new WaitingEvents();
  const cells = connectCells(
    {
      home: settings.BILLING_ADDR,
      others: settings.cells,
      peer: { trust, dnsServers: settings.DNS_SERVERS, zone: settings.ZONE },
    },
    (cell) => ({
      ...cell,
      outbox: new UsageOutbox({
        delivery: cell.usageDelivery('gateway-media', settings.kafka, log),
        log,
        waiting,
        onDelivered: (event) => billOutbox.delivered(event),
      }),
      reserve: new ReserveClient({
        instances: cell.instances(),
        log,
        timeoutMs: settings.RESERVE_TIMEOUT_MS,
        // Admission releases the hold: the call's bill exists before the hold is requested.
        onUnknownOutcome: () => {},
      }),
    }),
  );
  const billOutbox: BillOutbox = new BillOutbox({
    bills,
    instanceId,
    pool: outboxPool,
    outbox: { add: (event) => cells.of(event.cell).outbox.add(event) },
    log,
    leaseMs: settings.INSTANCE_LEASE_MS,
    newTaskId,
  });
  await billOutbox.start();
  const stopHeartbeat = startHeartbeat(cells, MEDIA_OWNER, log);
  return {
    instanceId,
    cells,
    admission: new Admission({ cells, bills, billOutbox }),
    bills,
    billOutbox,
    get up() {
      return cells.home.reserve.up;
    },
    async close() {
      for (const { reserve } of cells.all) reserve.close();
      await Promise.all(cells.all.map(({ outbox }) => outbox.close(DELIVERY_DRAIN_MS)));
      await billOutbox.stop();
      stopHeartbeat();
      for (const { client } of cells.all) client.close();
      await outboxPool.end();
    },
  };
}
