import type { BilledCall, UsageEvent } from '@gateway/call-billing';
import { type Pool, type PoolClient, withTransaction } from '@gateway/postgres';
import type { TaskStep } from '../videos/rules/next-step';
import type { TaskListRequest } from '../videos/rules/task-list';
import type { ClaimedTask, NewTask, VideoTask } from '../videos/rules/video-task';
import type { Bills } from './bills';
import { insertTask } from './insert-task';
import { fromTaskRow, type TaskRow } from './task-rows';

interface ClaimedRow extends TaskRow {
  age_ms: bigint;
}

const LATER = (ms: string) => `now() + ${ms}::bigint * interval '1 millisecond'`;
const EARLIER = (ms: string) => `now() - ${ms}::bigint * interval '1 millisecond'`;
/** Leases the tasks that `due` selects. */
const CLAIM = (
  leaseMs: string,
) => `UPDATE media.tasks t SET claim = t.claim + 1, next_look_at = ${LATER(leaseMs)}
  FROM due WHERE t.id = due.id
  RETURNING t.*, (extract(epoch FROM now() - t.created_at) * 1000)::bigint AS age_ms`;

export interface TasksOptions {
  readonly pool: Pool;
  readonly bills: Pick<Bills, 'endTask'>;
  /** Time from a task's creation to its first poll. */
  readonly firstPollMs: number;
}

export interface PollCapacity {
  readonly provider: string;
  readonly tasks: number;
}

/** Filters by account, key (absent: all) and models (empty: all). */
export interface TaskReader {
  readonly accountId: string;
  readonly onlyKeyId?: string;
  readonly allowedModels: readonly string[];
}

export interface OrphanedTasksQuery {
  readonly olderThanMs: number;
  readonly leaseMs: number;
  readonly limit: number;
}

export type EndedTask =
  /** Without an event, its bill had been ended before, which should not happen. */
  | { readonly ended: true; readonly event?: UsageEvent }
  /** Another instance has ended it, or is polling it. */
  | { readonly ended: false };

type EndStep = Extract<TaskStep, { kind: 'end' }>;
type WaitStep = Extract<TaskStep, { kind: 'wait' }>;

/** Table `media.tasks`. A lease is a row's next poll moved into the future; a claim identifies a lease. */
export class Tasks {
  readonly #options: TasksOptions;

  constructor(options: TasksOptions) {
    this.#options = options;
  }

  /**
   * Stores the task and its bill's new owner in one transaction: from here on only the task's end ends the bill. Undefined: the bill
   * had been given up, so there is no task either.
   */
  insert(task: NewTask, handOver: (client: PoolClient) => Promise<boolean>): Promise<VideoTask | undefined> {
    const { pool, firstPollMs } = this.#options;
    return withTransaction(pool, async (client) => {
      if (!(await handOver(client))) return undefined;
      return fromTaskRow(await insertTask(client, task, firstPollMs));
    });
  }

  /** @param accountId its account; absent: any account, for links that authorize themselves */
  async find(id: string, accountId?: string): Promise<VideoTask | undefined> {
    const { rows } = await this.#options.pool.query<TaskRow>({
      name: 'find-task',
      text: 'SELECT * FROM media.tasks WHERE id = $1 AND ($2::text IS NULL OR account_id = $2)',
      values: [id, accountId ?? null],
    });
    return rows[0] && fromTaskRow(rows[0]);
  }

  /** Returns the task created by the last call with the key, if its response is no longer stored. */
  async findByKey(accountId: string, operation: string, key: string): Promise<VideoTask | undefined> {
    const { rows } = await this.#options.pool.query<TaskRow>({
      name: 'find-task-by-key',
      text: `SELECT t.* FROM media.idempotency i JOIN media.tasks t USING (request_id)
        WHERE i.account_id = $1 AND i.operation = $2 AND i.key = $3`,
      values: [accountId, operation, key],
    });
    return rows[0] && fromTaskRow(rows[0]);
  }

  /** Newest first. */
  async list(
    { accountId, allowedModels, onlyKeyId }: TaskReader,
    { limit, after, requestId }: TaskListRequest,
  ): Promise<VideoTask[]> {
    const mayBeSeen = `account_id = $1 AND ($2::text[] IS NULL OR model LIKE ANY ($2))
      AND ($3::text IS NULL OR id < $3) AND ($5::text IS NULL OR key_id = $5)`;
    const seen = [accountId, slugPatterns(allowedModels), after ?? null, limit, onlyKeyId ?? null];
    const { rows } = await this.#options.pool.query<TaskRow>(
      requestId === undefined
        ? {
            name: 'list-tasks',
            // Reads only the rows of the page.
            text: `SELECT t.* FROM (
                SELECT id FROM media.tasks WHERE ${mayBeSeen} ORDER BY id DESC LIMIT $4) AS page
              JOIN media.tasks t USING (id) ORDER BY t.id DESC`,
            values: seen,
          }
        : {
            name: 'list-task-of-request',
            text: `SELECT * FROM media.tasks WHERE ${mayBeSeen} AND request_id = $6 LIMIT $4`,
            values: [...seen, requestId],
          },
    );
    return rows.map(fromTaskRow);
  }

  /** Leases due tasks, up to the free capacity of each provider: longest waiting first. */
  async claimDue(room: readonly PollCapacity[], leaseMs: number): Promise<ClaimedTask[]> {
    const { rows } = await this.#options.pool.query<ClaimedRow>({
      name: 'claim-due-tasks',
      text: `WITH due AS (
          SELECT d.id FROM unnest($1::text[], $2::int[]) AS room (provider, tasks), LATERAL (
            SELECT id FROM media.tasks
            WHERE provider = room.provider AND next_look_at <= now()
            ORDER BY next_look_at LIMIT room.tasks FOR UPDATE SKIP LOCKED) d)
        ${CLAIM('$3')}`,
      values: [room.map(({ provider }) => provider), room.map(({ tasks }) => tasks), leaseMs],
    });
    return rows.map(fromClaimedRow);
  }

  /** Returns tasks that no instance polls because their provider is no longer configured. */
  async claimOrphaned({ olderThanMs, leaseMs, limit }: OrphanedTasksQuery): Promise<ClaimedTask[]> {
    const { rows } = await this.#options.pool.query<ClaimedRow>({
      name: 'claim-forgotten-tasks',
      text: `WITH due AS (
          SELECT id FROM media.tasks WHERE created_at < ${EARLIER('$1')} AND next_look_at <= now()
          ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)
        ${CLAIM('$3')}`,
      values: [olderThanMs, limit, leaseMs],
    });
    return rows.map(fromClaimedRow);
  }

  /** Does nothing if the lease was lost: its new holder polls later. */
  async postpone({ id, claim }: ClaimedTask, { state, problems, waitMs }: WaitStep): Promise<void> {
    await this.#options.pool.query({
      name: 'postpone-task',
      text: `UPDATE media.tasks SET state = $3, next_look_at = ${LATER('$4')},
          failed_looks = $5, unpriced_looks = $6, unknown_ms = $7
        WHERE id = $1 AND claim = $2 AND next_look_at IS NOT NULL`,
      values: [id, claim, state, waitMs, problems.failedPolls, problems.unpricedPolls, problems.unknownMs],
    });
  }

  /** Ends the task and its bill in one transaction. */
  end(
    { id, claim, requestId }: ClaimedTask,
    { state, bill, detail }: EndStep,
    eventOf: (call: BilledCall) => UsageEvent,
  ): Promise<EndedTask> {
    const { pool, bills } = this.#options;
    const settled = bill.outcome === 'settled' ? bill : undefined;
    return withTransaction(pool, async (client): Promise<EndedTask> => {
      const { rowCount } = await client.query({
        name: 'end-task',
        text: `UPDATE media.tasks SET state = $3, cost_nano = $4, video_ms = $5, detail = $6,
            ended_at = now(), next_look_at = NULL, unpriced_looks = 0
          WHERE id = $1 AND claim = $2 AND next_look_at IS NOT NULL`,
        values: [id, claim, state, settled?.costNano ?? null, settled?.videoMs ?? null, detail ?? null],
      });
      if (rowCount === 0) return { ended: false };
      const event = await bills.endTask(client, requestId, eventOf);
      return { ended: true, ...(event && { event }) };
    });
  }

  /** Makes tasks due whose next poll is too far ahead because the database's clock was set back. */
  async recall(beyondMs: number): Promise<void> {
    await this.#options.pool.query({
      name: 'recall-tasks',
      text: `UPDATE media.tasks SET next_look_at = now() WHERE next_look_at > ${LATER('$1')}`,
      values: [beyondMs],
    });
  }

  /** Deletes ended tasks that are older, a bounded number at a time. */
  async deleteOld(olderThanMs: number): Promise<void> {
    await this.#options.pool.query({
      name: 'forget-old-tasks',
      text: `DELETE FROM media.tasks WHERE id IN (
          SELECT id FROM media.tasks WHERE created_at < ${EARLIER('$1')} AND ended_at IS NOT NULL
          ORDER BY created_at LIMIT 1000)`,
      values: [olderThanMs],
    });
  }
}

export async function countOpenTasks(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ open: bigint }>(
    'SELECT count(*) AS open FROM media.tasks WHERE next_look_at IS NOT NULL',
  );
  return Number(rows[0]?.open ?? 0);
}

function fromClaimedRow(row: ClaimedRow): ClaimedTask {
  return { ...fromTaskRow(row), claim: row.claim, ageMs: Number(row.age_ms) };
}

/** Returns the patterns of SQL's LIKE for the slugs of video models that an allowlist allows; null: all. */
function slugPatterns(allowedModels: readonly string[]): string[] | null {
  if (allowedModels.length === 0 || allowedModels.includes('type:video')) return null;
  return allowedModels.map((entry) => entry.replace(/[\\%_]/g, '\\$&').replace('*', '%'));
}
