import { type Pool, withTransaction } from '@gateway/postgres';
import { type KeyEncryptionKeys, resealSecret } from '@gateway/secrets';
import { announceChange } from './models';

/**
 * Encrypts the data keys of all credentials with the first key, so that the other keys can be removed. Returns the number of
 * changed credentials.
 * @throws UnsealError if a credential needs a key that is not given; nothing is changed then
 */
export async function reencryptCredentials(pool: Pool, keys: KeyEncryptionKeys): Promise<number> {
  return withTransaction(pool, async (client) => {
    await client.query('UPDATE catalog.provider_revision SET value = value + 1');
    const { rows } = await client.query<{ id: string; sealed_secret: Buffer }>(
      'SELECT id, sealed_secret FROM catalog.credentials WHERE sealed_secret IS NOT NULL',
    );
    let changed = 0;
    for (const { id, sealed_secret } of rows) {
      const sealed = resealSecret(keys, sealed_secret, id);
      if (!sealed) continue;
      await client.query('UPDATE catalog.credentials SET sealed_secret = $2 WHERE id = $1', [id, sealed]);
      changed += 1;
    }
    await announceChange(client);
    return changed;
  });
}
