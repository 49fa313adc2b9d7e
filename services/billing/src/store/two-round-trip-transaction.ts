import { type Pool, type PoolClient, settingsOfTransactions } from '@gateway/postgres';
import { isRefusal, rowsOf, statement } from './statement';
import { StatementBatch } from './statement-batch';

// Each statement must see what was committed while the previous one waited for a lock.
const BEGIN = statement('BEGIN', 'BEGIN ISOLATION LEVEL READ COMMITTED');
const COMMIT = statement('COMMIT', 'COMMIT');
const SET = statement(
  'set-local',
  'SELECT set_config(name, value, true) FROM unnest($1::text[], $2::text[]) AS given (name, value)',
);

type Results<Added extends readonly Promise<unknown>[]> = { [I in keyof Added]: Awaited<Added[I]> };

export interface TwoRoundTrips<Read extends readonly Promise<unknown>[], Result> {
  /** Adds the statements that lock and read. */
  read(batch: StatementBatch): readonly [...Read];
  /**
   * Decides synchronously, and returns what to write. `write` adds its statements before it returns; if it throws, nothing is
   * written. The result is computed after they are sent, in otherwise idle time.
   */
  decide(found: Results<Read>): {
    result(): Result;
    write(batch: StatementBatch): readonly Promise<unknown>[];
  };
}

/** Runs `insert` for a non-empty list. */
export const ifAny = <Item>(
  list: readonly Item[],
  insert: (list: readonly Item[]) => Promise<unknown>,
): Promise<unknown>[] => (list.length > 0 ? [insert(list)] : []);

/** The connection broke during the commit: whether the transaction was committed is unknown. */
export class CommitInDoubt extends Error {}

/**
 * A transaction of two round trips: lock and read, then write and commit. The statements of each are sent and answered together.
 * Locks are held for one round trip only.
 */
export async function inTwoRoundTrips<Read extends readonly Promise<unknown>[], Result>(
  pool: Pool,
  steps: TwoRoundTrips<Read, Result>,
): Promise<Result> {
  const client = await pool.connect();
  let committing = false;
  const onError = () => {};
  client.on('error', onError);
  try {
    const reading = new StatementBatch(client);
    const begun = begin(reading, pool);
    const [, ...found] = await answers(client, reading, [begun, ...steps.read(reading)] as const);
    const decided = steps.decide(found as Results<Read>);
    const writing = new StatementBatch(client);
    const written = [...decided.write(writing), rowsOf(writing, COMMIT, [])];
    committing = true;
    const committed = answers(client, writing, written);
    let result: Result;
    try {
      result = decided.result();
    } finally {
      await committed;
    }
    client.off('error', onError);
    client.release();
    return result;
  } catch (error) {
    client.off('error', onError);
    // Closed: it may be stuck in a statement or inside a transaction.
    client.release(error instanceof Error ? error : true);
    // An error from the database means that nothing was committed.
    if (committing && !isRefusal(error)) {
      throw new CommitInDoubt('a commit was not answered', { cause: error });
    }
    throw error;
  }
}

function begin(batch: StatementBatch, pool: Pool): Promise<unknown> {
  const begun = rowsOf(batch, BEGIN, []);
  const settings = settingsOfTransactions(pool);
  if (!settings) return begun;
  return Promise.all([begun, rowsOf(batch, SET, [Object.keys(settings), Object.values(settings)])]);
}

/** Sends statements together, in a transaction that stays open. */
export async function inBatch(
  client: PoolClient,
  add: (batch: StatementBatch) => readonly Promise<unknown>[],
): Promise<void> {
  const batch = new StatementBatch(client);
  await answers(client, batch, add(batch));
}

/** Sends the batch and waits for all answers, even if one fails. */
async function answers<Added extends readonly Promise<unknown>[]>(
  client: PoolClient,
  batch: StatementBatch,
  added: Added,
): Promise<Results<Added>> {
  const all = Promise.allSettled(added);
  client.query(batch);
  for (const answer of await all) if (answer.status === 'rejected') throw answer.reason;
  return Promise.all(added) as Promise<Results<Added>>;
}
