import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import { type Pool, type PoolClient, withTransaction } from '@gateway/postgres';
import type { KeyEncryptionKeys } from '@gateway/secrets';
import { type ContentOwner, type ContentReader, mayRead, readerValues } from '../../domain/content-reader';
import type { UploadedFile } from '../rules/file-fields';
import type { FilePageRequest } from '../rules/file-page';
import { openStream, sealStream } from '../rules/sealed-stream';
import { detailsContext, openDetails, sealDetails } from './file-details';
import { type ObjectStore, ObjectStoreError } from './object-store';

export interface StoredFile {
  readonly id: string;
  readonly filename: string;
  readonly purpose: string;
  /** Of the content. */
  readonly bytes: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export interface FileBounds {
  readonly retentionDays: number;
  /** Content of an account's files. */
  readonly maxAccountBytes: number;
  /** So that small files have a bound too. */
  readonly maxAccountFiles: number;
}

interface Row {
  readonly id: string;
  readonly account_id: string;
  readonly sealed_details: Buffer;
  readonly purpose: string;
  readonly bytes: bigint;
  readonly created_at: Date;
  readonly expires_at: Date;
}

/** Longer than edge waits for a call with a form, and than its content needs to become durable. */
const UPLOAD_MINUTES = 30;
/** A remote store needs a few round trips for each. */
const CONCURRENT_DELETIONS = 16;
/** For a file that the gateway writes: longer than the largest takes. */
const OWN_UPLOAD_MINUTES = 24 * 60;
/** Of a batch that has not ended, which needs it after it has expired too. */
const IS_INPUT =
  'EXISTS (SELECT FROM storage.batches b WHERE b.input_file_id = files.id AND b.ended_at IS NULL)';
/** Its first two parameters are `readerValues`. */
const IS_STORED = `${mayRead('$1', '$2')} AND sealed_details IS NOT NULL AND (expires_at > now() OR ${IS_INPUT})`;
/** Of results of batches, which don't count against the limits of files: they are stored in any case, and bound new batches. */
export const BATCH_OUTPUT_PURPOSE = 'batch_output';
const COLUMNS = 'id, account_id, sealed_details, purpose, bytes, created_at, expires_at';

/** The stored files; expired ones do not exist. Every method sees one account's only, or one key's. */
export class Files {
  readonly #pool: Pool;
  readonly #keys: KeyEncryptionKeys;
  readonly #store: ObjectStore;
  readonly #bounds: FileBounds;

  constructor(pool: Pool, keys: KeyEncryptionKeys, store: ObjectStore, bounds: FileBounds) {
    this.#pool = pool;
    this.#keys = keys;
    this.#store = store;
    this.#bounds = bounds;
  }

  /**
   * Stores a file that `upload` reads. It exists when this resolves; if anything throws, nothing is left behind, or until the next sweep
   * after the upload's end.
   * @param isBounded false: the file is stored whatever the account has
   * @param upload calls `put` once with the content, and returns the rest when the content is stored
   * @throws GatewayError `invalid_request` if the account has too many files, or too large ones
   */
  async save(
    { accountId, keyId }: ContentOwner,
    id: string,
    upload: (put: (content: AsyncIterable<Buffer>) => Promise<void>) => Promise<UploadedFile>,
    { isBounded = true }: { readonly isBounded?: boolean } = {},
  ): Promise<StoredFile> {
    await this.#begin({ accountId, keyId }, id, isBounded);
    try {
      const dataKey = createSecretKey(randomBytes(32));
      let bytes = 0;
      const counted = async function* (content: AsyncIterable<Buffer>) {
        for await (const piece of content) {
          bytes += piece.length;
          yield piece;
        }
      };
      const uploaded = await upload((content) => this.#store.put(id, sealStream(dataKey, counted(content))));
      return await this.#complete(accountId, id, { bytes, dataKey, isBounded }, uploaded);
    } catch (error) {
      // A store that has not answered may still write the object: the sweep removes it when the time of the upload is over.
      if (!(error instanceof ObjectStoreError)) await this.#remove(id).catch(() => undefined);
      throw error;
    }
  }

  async find(reader: ContentReader, id: string): Promise<StoredFile | undefined> {
    const row = await this.#row(reader, id);
    return row && this.#toFile(row);
  }

  /** Returns a file and its content, for one reader; undefined if it does not exist. */
  async open(
    reader: ContentReader,
    id: string,
  ): Promise<{ bytes: number; content: AsyncIterable<Buffer> } | undefined> {
    const row = await this.#row(reader, id);
    if (!row) return undefined;
    const { dataKey } = openDetails(this.#keys, row.sealed_details, detailsContext(reader.accountId, id));
    const sealed = await this.#store.read(id);
    if (!sealed) return undefined;
    return { bytes: Number(row.bytes), content: openStream(dataKey, sealed) };
  }

  /** Returns the files of a page, and whether others follow. */
  async list(
    reader: ContentReader,
    { limit, order, after, purpose }: FilePageRequest,
  ): Promise<{ files: StoredFile[]; hasMore: boolean }> {
    const [follows, direction] = order === 'asc' ? ['>', 'ASC'] : ['<', 'DESC'];
    const { rows } = await this.#pool.query<Row>(
      `SELECT ${COLUMNS} FROM storage.files
       WHERE ${IS_STORED} AND ($3::text IS NULL OR id ${follows} $3) AND ($4::text IS NULL OR purpose = $4)
       ORDER BY id ${direction} LIMIT $5`,
      [...readerValues(reader), after ?? null, purpose ?? null, limit + 1],
    );
    return { files: rows.slice(0, limit).map((row) => this.#toFile(row)), hasMore: rows.length > limit };
  }

  /** Returns whether the file existed. @throws GatewayError `invalid_request` if a batch needs it */
  async delete(reader: ContentReader, id: string): Promise<boolean> {
    const state = await withTransaction(this.#pool, async (client) => {
      // A batch that is being created has locked its input: the second statement sees it.
      const { rowCount } = await client.query(
        `SELECT FROM storage.files WHERE ${IS_STORED} AND id = $3 FOR UPDATE`,
        [...readerValues(reader), id],
      );
      if (rowCount !== 1) return 'absent';
      const deletion = await client.query(
        `UPDATE storage.files SET expires_at = now() WHERE id = $1 AND NOT ${IS_INPUT}`,
        [id],
      );
      return deletion.rowCount === 1 ? 'deleted' : 'needed';
    });
    if (state === 'needed') throw invalid('a batch that has not ended needs the file');
    if (state === 'absent') return false;
    await this.#remove(id);
    return true;
  }

  /** Removes a file, or what a killed process has left of one, if it exists. */
  async discard(accountId: string, id: string): Promise<void> {
    const { rowCount } = await this.#pool.query(
      'SELECT FROM storage.files WHERE account_id = $1 AND id = $2',
      [accountId, id],
    );
    if (rowCount === 1) await this.#remove(id);
  }

  async #begin({ accountId, keyId }: ContentOwner, id: string, isBounded: boolean): Promise<void> {
    await withTransaction(this.#pool, async (client) => {
      if (isBounded) await this.#checkBounds(client, accountId, { files: 1, bytes: 0 });
      await client.query(
        `INSERT INTO storage.files (id, account_id, key_id, expires_at)
         VALUES ($2, $1, $4, now() + $3 * interval '1 minute')`,
        [accountId, id, isBounded ? UPLOAD_MINUTES : OWN_UPLOAD_MINUTES, keyId],
      );
    });
  }

  async #complete(
    accountId: string,
    id: string,
    { bytes, dataKey, isBounded }: { bytes: number; dataKey: KeyObject; isBounded: boolean },
    { filename, purpose, lifetimeSeconds = Number.MAX_SAFE_INTEGER }: UploadedFile,
  ): Promise<StoredFile> {
    const sealed = sealDetails(this.#keys, { filename, dataKey }, detailsContext(accountId, id));
    const seconds = Math.min(lifetimeSeconds, this.#bounds.retentionDays * 86_400);
    const row = await withTransaction(this.#pool, async (client) => {
      if (isBounded) await this.#checkBounds(client, accountId, { files: 0, bytes });
      const { rows } = await client.query<Row>(
        `UPDATE storage.files SET sealed_details = $3, purpose = $4, bytes = $5, expires_at = now() + $6 * interval '1 second'
         WHERE account_id = $1 AND id = $2 AND sealed_details IS NULL AND expires_at > now()
         RETURNING ${COLUMNS}`,
        [accountId, id, sealed, purpose, bytes, seconds],
      );
      return rows[0];
    });
    if (!row) throw invalid('the upload took too long');
    return this.#toFile(row);
  }

  /** One transaction of the account at a time. */
  async #checkBounds(
    client: PoolClient,
    accountId: string,
    more: { files: number; bytes: number },
  ): Promise<void> {
    const { maxAccountBytes, maxAccountFiles } = this.#bounds;
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`files of ${accountId}`]);
    const { rows } = await client.query<{ count: bigint; bytes: string }>(
      `SELECT count(*) AS count, coalesce(sum(bytes), 0) AS bytes FROM storage.files
       WHERE account_id = $1 AND expires_at > now() AND purpose IS DISTINCT FROM $2`,
      [accountId, BATCH_OUTPUT_PURPOSE],
    );
    const [stored] = rows;
    if (Number(stored?.count) + more.files > maxAccountFiles)
      throw invalid(`the account has ${maxAccountFiles} files: delete some of them`);
    if (Number(stored?.bytes) + more.bytes > maxAccountBytes)
      throw invalid(`the account's files would have more than ${maxAccountBytes} bytes`);
  }

  /** What remains if this fails is removed by the sweep. */
  async #remove(id: string): Promise<void> {
    await this.#pool.query('UPDATE storage.files SET expires_at = now() WHERE id = $1', [id]);
    await removeFiles(this.#pool, this.#store, [id]);
  }

  async #row(reader: ContentReader, id: string): Promise<Row | undefined> {
    const { rows } = await this.#pool.query<Row>(
      `SELECT ${COLUMNS} FROM storage.files WHERE ${IS_STORED} AND id = $3`,
      [...readerValues(reader), id],
    );
    return rows[0];
  }

  #toFile({ id, account_id, sealed_details, purpose, bytes, created_at, expires_at }: Row): StoredFile {
    const { filename } = openDetails(this.#keys, sealed_details, detailsContext(account_id, id));
    return { id, filename, purpose, bytes: Number(bytes), createdAt: created_at, expiresAt: expires_at };
  }
}

/**
 * Removes up to `max` files that have expired, and uploads that a killed process left. Returns their number.
 */
export async function removeExpiredFiles(pool: Pool, store: ObjectStore, max: number): Promise<number> {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT id FROM storage.files WHERE expires_at <= now() AND NOT ${IS_INPUT} ORDER BY expires_at LIMIT $1`,
    [max],
  );
  await removeFiles(
    pool,
    store,
    rows.map(({ id }) => id),
  );
  return rows.length;
}

/** The row last, so that an object that can't be deleted now is not forgotten. */
async function removeFiles(pool: Pool, store: ObjectStore, ids: readonly string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += CONCURRENT_DELETIONS)
    await Promise.all(ids.slice(at, at + CONCURRENT_DELETIONS).map((id) => store.delete(id)));
  await pool.query('DELETE FROM storage.files WHERE id = ANY($1) AND expires_at <= now()', [ids]);
}

const invalid = (detail: string) => new GatewayError('invalid_request', { detail });
