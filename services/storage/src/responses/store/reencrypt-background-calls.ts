import type { Pool } from '@gateway/postgres';
import { type KeyEncryptionKeys, resealSecret } from '@gateway/secrets';
import { reencryptRows } from '../../reencrypt-rows';
import { contextOf } from './sealed-parts';

/** Of up to 12 MiB each. */
const BATCH = 10;

interface Row {
  readonly id: string;
  readonly account_id: string;
  readonly sealed_body: Buffer;
}

/**
 * Encrypts the data keys of all calls in the background with the first key. Returns the number of changed calls. May be repeated after an
 * interruption.
 * @throws UnsealError if a call needs a key that is not given
 */
export function reencryptBackgroundCalls(pool: Pool, keys: KeyEncryptionKeys): Promise<number> {
  return reencryptRows<Row>(pool, {
    async next(client, after) {
      const { rows } = await client.query<Row>(
        `SELECT response_id AS id, account_id, sealed_body FROM storage.background_calls
         WHERE response_id > $1 ORDER BY response_id LIMIT $2 FOR UPDATE`,
        [after, BATCH],
      );
      return rows;
    },
    async reencrypt(client, { id, account_id, sealed_body }) {
      const body = resealSecret(keys, sealed_body, contextOf('body', account_id, id));
      if (!body) return false;
      await client.query('UPDATE storage.background_calls SET sealed_body = $2 WHERE response_id = $1', [
        id,
        body,
      ]);
      return true;
    },
  });
}
