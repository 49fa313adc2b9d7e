import type { Pool } from '@gateway/postgres';
import { type KeyEncryptionKeys, resealSecret } from '@gateway/secrets';
import { reencryptRows } from '../../reencrypt-rows';
import { contextOf } from './sealed-parts';

/** Of up to 12 MiB each. */
const BATCH = 10;

interface Row {
  readonly id: string;
  readonly account_id: string;
  readonly sealed_input: Buffer;
  readonly sealed_response: Buffer;
}

/**
 * Encrypts the data keys of all responses with the first key, so that the other keys can be removed. Returns the number of changed
 * responses. May be repeated after an interruption.
 * @throws UnsealError if a response needs a key that is not given
 */
export function reencryptResponses(pool: Pool, keys: KeyEncryptionKeys): Promise<number> {
  return reencryptRows<Row>(pool, {
    async next(client, after) {
      const { rows } = await client.query<Row>(
        `SELECT id, account_id, sealed_input, sealed_response FROM storage.responses
         WHERE id > $1 ORDER BY id LIMIT $2 FOR UPDATE`,
        [after, BATCH],
      );
      return rows;
    },
    async reencrypt(client, { id, account_id, sealed_input, sealed_response }) {
      const input = resealSecret(keys, sealed_input, contextOf('input', account_id, id));
      const response = resealSecret(keys, sealed_response, contextOf('response', account_id, id));
      if (!input && !response) return false;
      await client.query(
        'UPDATE storage.responses SET sealed_input = $2, sealed_response = $3 WHERE id = $1',
        [id, input ?? sealed_input, response ?? sealed_response],
      );
      return true;
    },
  });
}
