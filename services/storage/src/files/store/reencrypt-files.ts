import { type Pool, withTransaction } from '@gateway/postgres';
import { type KeyEncryptionKeys, resealSecret } from '@gateway/secrets';
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
export async function reencryptFiles(pool: Pool, keys: KeyEncryptionKeys): Promise<number> {
  let changed = 0;
  let after = '';
  for (;;) {
    const batch = await withTransaction(pool, async (client) => {
      const { rows } = await client.query<Row>(
        `SELECT id, account_id, sealed_details FROM storage.files
         WHERE id > $1 AND sealed_details IS NOT NULL ORDER BY id LIMIT $2 FOR UPDATE`,
        [after, BATCH],
      );
      for (const { id, account_id, sealed_details } of rows) {
        const resealed = resealSecret(keys, sealed_details, detailsContext(account_id, id));
        if (!resealed) continue;
        await client.query('UPDATE storage.files SET sealed_details = $2 WHERE id = $1', [id, resealed]);
        changed += 1;
      }
      return rows;
    });
    const last = batch.at(-1);
    if (!last) return changed;
    after = last.id;
  }
}
