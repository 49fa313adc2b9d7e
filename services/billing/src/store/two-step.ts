import type { Pool, PoolClient } from '@gateway/runtime';
import { isRefusal } from './statement';

// Each statement must see what was committed while the one before it waited for a lock.
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';

type Results<Sent extends readonly Promise<unknown>[]> = { [I in keyof Sent]: Awaited<Sent[I]> };

export interface TwoSteps<Read extends readonly Promise<unknown>[], Result> {
  /** Sends the statements that lock and read. */
  read(client: PoolClient): readonly [...Read];
  /** Decides, without waiting for anything, and names what is to be written. */
  decide(found: Results<Read>): {
    readonly result: Result;
    write(client: PoolClient): readonly Promise<unknown>[];
  };
}

/** The connection broke while a transaction was committed: nobody knows yet whether it was. */
export class CommitInDoubt extends Error {}

/**
 * A transaction of two round trips: lock and read, then write and commit. Locks are held for one round
 * trip only, and a batch costs two writes to the socket instead of one per statement. Needs a pool in
 * pipeline mode.
 */
export async function inTwoSteps<Read extends readonly Promise<unknown>[], Result>(
  pool: Pool,
  steps: TwoSteps<Read, Result>,
): Promise<Result> {
  const client = await pool.connect();
  let committing = false;
  const onError = () => {};
  client.on('error', onError);
  try {
    const [, ...found] = await together(client, () => [client.query(BEGIN), ...steps.read(client)] as const);
    const { result, write } = steps.decide(found as Results<Read>);
    committing = true;
    const written = await together(client, () => [...write(client), client.query('COMMIT')]);
    const commit = written.at(-1) as { command: string };
    if (commit.command !== 'COMMIT') {
      committing = false;
      throw new Error('the transaction was rolled back');
    }
    client.off('error', onError);
    client.release();
    return result;
  } catch (error) {
    client.off('error', onError);
    // Thrown away: it may be stuck in a statement or in the middle of a transaction.
    client.release(error instanceof Error ? error : true);
    // What the database answers, it has not committed.
    if (committing && !isRefusal(error)) {
      throw new CommitInDoubt('a commit was not answered', { cause: error });
    }
    throw error;
  }
}

/** Sends what `send` queries as one write; waits for every answer even when one of them is an error. */
async function together<Sent extends readonly Promise<unknown>[]>(
  client: PoolClient,
  send: () => Sent,
): Promise<Results<Sent>> {
  const { stream } = client.connection;
  stream.cork();
  let sent: Sent;
  try {
    sent = send();
  } finally {
    stream.uncork();
  }
  const answers = await Promise.allSettled(sent);
  for (const answer of answers) if (answer.status === 'rejected') throw answer.reason;
  return Promise.all(sent) as Promise<Results<Sent>>;
}
