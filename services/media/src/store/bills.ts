import type { BilledCall, UsageEvent } from '@gateway/call-billing';
import { type InstanceHeartbeats, WITHOUT_HEARTBEAT } from '@gateway/call-billing';
import { type Pool, type PoolClient, withTransaction } from '@gateway/postgres';
import type { BillState } from '../billing/rules/bill-event';
import type { RecoverableTask } from '../videos/rules/video-task';
import {
  BILL_COLUMNS,
  type BillRow,
  fromBillRow,
  fromRecoverableTaskJson,
  type RecoverableTaskJson,
  toRecoverableTaskJson,
} from './bill-rows';
import { insertTask } from './insert-task';

export interface Adoption {
  /** Returns the end of a call whose outcome can't be determined. */
  readonly eventOf: (call: BilledCall, state: BillState) => UsageEvent;
  readonly newTaskId: () => string;
}

interface AbandonedRow extends BillRow {
  readonly sought: RecoverableTaskJson | null;
  readonly is_keyed: boolean;
}

const canBeFound = ({ state, sought, is_keyed }: AbandonedRow): boolean =>
  state === 'dispatched' && sought !== null && is_keyed;

/** Maximum rows of one statement. */
const BATCH = 500;

/**
 * Table `media.bills` as one instance sees it. Every change names the state and the instance that it expects, so an instance that
 * was declared dead and resumes changes nothing.
 */
export class Bills {
  readonly #pool: Pool;
  readonly #instanceId: string;

  constructor(pool: Pool, instanceId: string) {
    this.#pool = pool;
    this.#instanceId = instanceId;
  }

  /** Called before the hold is requested. */
  async open(call: BilledCall): Promise<void> {
    await this.#pool.query(
      `INSERT INTO media.bills
         (request_id, account_id, key_id, model, provider, endpoint, price_version, started_at_ms, instance_id, cell)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        call.requestId,
        call.accountId,
        call.keyId,
        call.model,
        call.provider,
        call.endpoint,
        call.priceVersion,
        call.startedAtMs,
        this.#instanceId,
        call.cell ?? '',
      ],
    );
  }

  /** Deletes bills of calls without a hold. */
  async drop(...requestIds: readonly string[]): Promise<void> {
    await this.#pool.query(
      `DELETE FROM media.bills WHERE request_id = ANY ($1::uuid[]) AND state = 'open' AND instance_id = $2`,
      [requestIds, this.#instanceId],
    );
  }

  /**
   * From now on the provider may be called. False: another instance has ended the bill.
   * @param recoverable how to find the task, if its provider can be searched
   */
  async dispatched(
    { requestId, provider, admittedMs = 0 }: BilledCall,
    recoverable?: RecoverableTask,
  ): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `UPDATE media.bills SET state = 'dispatched', provider = $3, admitted_ms = $4, sought = $5
       WHERE request_id = $1 AND state IN ('open', 'dispatched') AND instance_id = $2`,
      [
        requestId,
        this.#instanceId,
        provider,
        admittedMs,
        recoverable ? toRecoverableTaskJson(recoverable) : null,
      ],
    );
    return rowCount === 1;
  }

  /** False: it had been ended before. */
  async end(event: UsageEvent): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `UPDATE media.bills SET state = 'ended', event = $3
       WHERE request_id = $1 AND state IN ('open', 'dispatched') AND instance_id = $2`,
      [event.requestId, this.#instanceId, JSON.stringify(event)],
    );
    return rowCount === 1;
  }

  /** Whether the row contains this very end. */
  async hasEnd(event: UsageEvent): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `SELECT FROM media.bills
       WHERE request_id = $1 AND instance_id = $2 AND state = 'ended' AND event = $3::jsonb`,
      [event.requestId, this.#instanceId, JSON.stringify(event)],
    );
    return rowCount === 1;
  }

  /**
   * Hands the bill over to the video task that is created in the same transaction. False: another instance has ended the bill, and
   * the task must not be created.
   */
  async handOver(client: PoolClient, requestId: string): Promise<boolean> {
    const { rowCount } = await client.query(
      `UPDATE media.bills SET instance_id = NULL
       WHERE request_id = $1 AND state = 'dispatched' AND instance_id = $2`,
      [requestId, this.#instanceId],
    );
    return rowCount === 1;
  }

  /**
   * Ends the bill of a task, in the transaction that updates the task. Returns the event to deliver once that is committed;
   * undefined: it had been ended before.
   */
  async endTask(
    client: PoolClient,
    requestId: string,
    eventOf: (call: BilledCall) => UsageEvent,
  ): Promise<UsageEvent | undefined> {
    const { rows } = await client.query<BillRow>(
      `SELECT ${BILL_COLUMNS} FROM media.bills
       WHERE request_id = $1 AND state = 'dispatched' AND instance_id IS NULL FOR UPDATE`,
      [requestId],
    );
    if (!rows[0]) return undefined;
    const event = eventOf(fromBillRow(rows[0]));
    await this.#writeEvents(client, [event]);
    return event;
  }

  /**
   * Takes over the bills of silent instances, a batch at a time, except those of instances that have sent a heartbeat meanwhile, and
   * ends those that are not ended. An order that its provider can find becomes a task, which a repeated call with its key
   * returns. Returns the number of bills.
   */
  async adopt(silent: readonly InstanceHeartbeats[], { eventOf, newTaskId }: Adoption): Promise<number> {
    return withTransaction(this.#pool, async (client) => {
      const { rows } = await client.query<AbandonedRow>(
        `SELECT ${BILL_COLUMNS}, sought,
           EXISTS (SELECT FROM media.idempotency i 
             WHERE i.account_id = b.account_id AND i.request_id = b.request_id) AS is_keyed
         FROM media.bills b
         WHERE instance_id IN (
           SELECT id FROM unnest($1::uuid[], $2::bigint[]) AS silent (id, beats)
           LEFT JOIN media.instances i USING (id)
           WHERE coalesce(i.beats, ${WITHOUT_HEARTBEAT}) = silent.beats)
         ORDER BY request_id LIMIT ${BATCH} FOR UPDATE OF b SKIP LOCKED`,
        [silent.map(({ id }) => id), silent.map(({ beats }) => beats)],
      );
      const [found, ended] = [rows.filter(canBeFound), rows.filter((row) => !canBeFound(row))];
      for (const row of found) await this.#follow(client, row, newTaskId);
      const events = ended.map((row) =>
        row.state === 'ended' ? row.event! : eventOf(fromBillRow(row), row.state),
      );
      if (events.length > 0) await this.#writeEvents(client, events);
      return rows.length;
    });
  }

  /** Returns ends that this instance has to deliver. */
  async undelivered(except: readonly string[]): Promise<UsageEvent[]> {
    const { rows } = await this.#pool.query<{ event: UsageEvent }>(
      `SELECT event FROM media.bills
       WHERE instance_id = $1 AND state = 'ended' AND request_id <> ALL ($2::uuid[])
       ORDER BY request_id LIMIT ${BATCH}`,
      [this.#instanceId, except],
    );
    return rows.map(({ event }) => event);
  }

  /** Deletes ends that billing has received. */
  async forget(requestIds: readonly string[]): Promise<void> {
    await this.#pool.query(
      `DELETE FROM media.bills WHERE request_id = ANY ($1::uuid[]) AND state = 'ended'`,
      [requestIds],
    );
  }

  /** Treats the bill from now on as if its provider had answered. */
  async #follow(client: PoolClient, row: AbandonedRow, newTaskId: () => string): Promise<void> {
    const { requestId, accountId, keyId, model, provider } = fromBillRow(row);
    const { taskId: id = newTaskId(), ...recoverable } = fromRecoverableTaskJson(row.sought!);
    const task = { id, requestId, accountId, keyId, model, provider, ...recoverable };
    await insertTask(client, task, 0);
    await client.query('UPDATE media.bills SET instance_id = NULL WHERE request_id = $1', [requestId]);
  }

  async #writeEvents(client: PoolClient, events: readonly UsageEvent[]): Promise<void> {
    await client.query(
      `UPDATE media.bills b SET state = 'ended', event = e.event, instance_id = $3
       FROM unnest($1::uuid[], $2::jsonb[]) AS e (request_id, event) WHERE b.request_id = e.request_id`,
      [
        events.map(({ requestId }) => requestId),
        events.map((event) => JSON.stringify(event)),
        this.#instanceId,
      ],
    );
  }
}

/** Of all instances. */
export async function countBills(pool: Pool): Promise<ReadonlyMap<string, number>> {
  const { rows } = await pool.query<{ state: string; count: bigint }>(
    'SELECT state, count(*) AS count FROM media.bills GROUP BY state',
  );
  const counts = new Map(['open', 'dispatched', 'ended'].map((state) => [state, 0]));
  for (const { state, count } of rows) counts.set(state, Number(count));
  return counts;
}
