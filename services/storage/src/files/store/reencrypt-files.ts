import type { Pool } from '@gateway/postgres';
import { type KeyEncryptionKeys, resealSecret } from '@gateway/secrets';
import { reencryptRows } from '../../reencrypt-rows';
import { detailsContext } from './file-details';

const BATCH = 500;

interface Row {
  readonly id: string;
  readonly account_id: string;
  readonly sealed_details: Buffer;
}

/**
 * Encrypts the data keys of all files with the first key; their content stays as it is. Returns the number of changed files. May be
 * repeated after an interruption.
 * @throws UnsealError if a file needs a key that is not given
 */
export function reencryptFiles(pool: Pool, keys: KeyEncryptionKeys): Promise<number> {
  return reencryptRows<Row>(pool, {
    async next(client, after) {
      const { rows } = await client.query<Row>(
        `SELECT id, account_id, sealed_details FROM storage.files
         WHERE id > $1 AND sealed_details IS NOT NULL ORDER BY id LIMIT $2 FOR UPDATE`,
        [after, BATCH],
      );
      return rows;
    },
    async reencrypt(client, { id, account_id, sealed_details }) {
      const resealed = resealSecret(keys, sealed_details, detailsContext(account_id, id));
      if (!resealed) return false;
      await client.query('UPDATE storage.files SET sealed_details = $2 WHERE id = $1', [id, resealed]);
      return true;
    },
  });
}
