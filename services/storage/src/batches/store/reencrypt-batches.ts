import type { Pool } from '@gateway/postgres';
import { type KeyEncryptionKeys, resealSecret } from '@gateway/secrets';
import { reencryptRows } from '../../reencrypt-rows';
import { callContext, metadataContext } from './batches';

interface BatchRow {
  readonly id: string;
  readonly account_id: string;
  readonly sealed_metadata: Buffer | null;
}

interface CallRow {
  readonly line: number;
  readonly sealed_result: Buffer;
}

/** Of up to some MiB each. */
const CALLS = 20;

/**
 * Encrypts the data keys of all batches and of their results with the first key. Returns the number of changed batches. May be repeated
 * after an interruption.
 * @throws UnsealError if one of them needs a key that is not given
 */
export function reencryptBatches(pool: Pool, keys: KeyEncryptionKeys): Promise<number> {
  return reencryptRows<BatchRow>(pool, {
    // Not locked: what is encrypted is written once, and a lock would keep the batch from running.
    async next(client, after) {
      const { rows } = await client.query<BatchRow>(
        'SELECT id, account_id, sealed_metadata FROM storage.batches WHERE id > $1 ORDER BY id LIMIT 1',
        [after],
      );
      return rows;
    },
    async reencrypt(client, { id, account_id, sealed_metadata }) {
      const metadata =
        sealed_metadata && resealSecret(keys, sealed_metadata, metadataContext(account_id, id));
      if (metadata)
        await client.query('UPDATE storage.batches SET sealed_metadata = $2 WHERE id = $1', [id, metadata]);
      let changed = metadata !== null && metadata !== undefined;
      let last = 0;
      for (;;) {
        const { rows } = await client.query<CallRow>(
          `SELECT line, sealed_result FROM storage.batch_calls
           WHERE batch_id = $1 AND line > $2 AND sealed_result IS NOT NULL ORDER BY line LIMIT $3`,
          [id, last, CALLS],
        );
        for (const { line, sealed_result } of rows) {
          last = line;
          const result = resealSecret(keys, sealed_result, callContext(account_id, id, line));
          if (!result) continue;
          changed = true;
          await client.query(
            'UPDATE storage.batch_calls SET sealed_result = $3 WHERE batch_id = $1 AND line = $2',
            [id, line, result],
          );
        }
        if (rows.length === 0) return changed;
      }
    },
  });
}
