import type { Pool } from '@gateway/postgres';
import { type KeyEncryptionKeys, openBytes, sealBytes } from '@gateway/secrets';
import { type ContentReader, mayRead, readerValues } from '../../domain/content-reader';
import { contextOf } from './sealed-parts';

export interface NewResponse {
  readonly accountId: string;
  /** Empty: unknown, from a process of an older version. */
  readonly keyId: string;
  readonly id: string;
  /** Absent: it begins a conversation. */
  readonly previousId?: string;
  /** JSON. */
  readonly input: Buffer;
  readonly response: Buffer;
}

/** A response that has not ended, or that has ended without output. */
export type ResponseState = 'open' | 'void';

/** Sizes of the JSON. */
export interface ResponseSize {
  readonly id: string;
  /** Absent: it can be continued. */
  readonly state?: ResponseState;
  readonly inputBytes: number;
  readonly responseBytes: number;
}

export interface WantedResponse {
  readonly id: string;
  readonly withInput: boolean;
}

export interface LoadedResponse {
  readonly id: string;
  /** JSON; absent if it was not wanted. */
  readonly input?: Buffer;
  readonly response: Buffer;
}

interface SizeRow {
  readonly id: string;
  readonly state: ResponseState | null;
  readonly input_bytes: number;
  readonly response_bytes: number;
}

export interface StoredResponse {
  readonly json: Buffer;
  /** Of a response that has not ended, whose JSON is that of a queued one. */
  readonly progress?: 'queued' | 'in_progress';
}

interface ResponseRow {
  readonly sealed_response: Buffer;
  readonly is_open: boolean;
  readonly is_sent: boolean;
}

interface ContentRow {
  readonly id: string;
  readonly sealed_input: Buffer | null;
  readonly sealed_response: Buffer;
}

/** The stored responses; expired ones do not exist. Every method sees one account's only, or one key's. */
export class Responses {
  readonly #pool: Pool;
  readonly #keys: KeyEncryptionKeys;
  readonly #retentionDays: number;

  constructor(pool: Pool, keys: KeyEncryptionKeys, retentionDays: number) {
    this.#pool = pool;
    this.#keys = keys;
    this.#retentionDays = retentionDays;
  }

  /** Changes nothing if the response is stored already. */
  async save({ accountId, keyId, id, previousId, input, response }: NewResponse): Promise<void> {
    const seal = (part: 'input' | 'response', content: Buffer) =>
      sealBytes(this.#keys, content, contextOf(part, accountId, id));
    await this.#pool.query(
      `INSERT INTO storage.responses
         (id, account_id, key_id, previous_id, sealed_input, sealed_response, input_bytes, response_bytes, expires_at)
       VALUES ($1, $2, nullif($9, ''), $3, $4, $5, $6, $7, now() + $8 * interval '1 day')
       ON CONFLICT (id) DO NOTHING`,
      [
        id,
        accountId,
        previousId ?? null,
        seal('input', input),
        seal('response', response),
        input.length,
        response.length,
        this.#retentionDays,
        keyId,
      ],
    );
  }

  /**
   * Returns a conversation's responses, oldest first, by its last one.
   * @returns undefined if one of them does not exist; at most `max` of them, the latest
   */
  async conversation(
    reader: ContentReader,
    lastId: string,
    max: number,
  ): Promise<ResponseSize[] | undefined> {
    const { rows } = await this.#pool.query<SizeRow & { previous_id: string | null }>(
      `WITH RECURSIVE conversation AS (
         SELECT id, previous_id, state, input_bytes, response_bytes, 1 AS turn
         FROM storage.responses WHERE id = $3 AND ${mayRead('$1', '$2')} AND expires_at > now()
         UNION ALL
         SELECT r.id, r.previous_id, r.state, r.input_bytes, r.response_bytes, turn + 1
         FROM conversation c JOIN storage.responses r ON r.id = c.previous_id
         WHERE ${mayRead('$1', '$2', 'r.')} AND r.expires_at > now() AND turn < $4
       )
       SELECT id, previous_id, state, input_bytes, response_bytes FROM conversation ORDER BY turn DESC`,
      [...readerValues(reader), lastId, max],
    );
    const [oldest] = rows;
    if (!oldest || (oldest.previous_id !== null && rows.length < max)) return undefined;
    return rows.map(toSize);
  }

  /** Returns the responses that exist, in any order. */
  async sizes(reader: ContentReader, ids: readonly string[]): Promise<ResponseSize[]> {
    const { rows } = await this.#pool.query<SizeRow>(
      `SELECT id, state, input_bytes, response_bytes FROM storage.responses
       WHERE id = ANY($3) AND ${mayRead('$1', '$2')} AND expires_at > now()`,
      [...readerValues(reader), ids],
    );
    return rows.map(toSize);
  }

  /** Returns the first of these responses, as many as fit into `maxBytes` but at least one; none if the first does not exist. */
  async load(
    reader: ContentReader,
    wanted: readonly WantedResponse[],
    maxBytes: number,
  ): Promise<LoadedResponse[]> {
    const { rows } = await this.#pool.query<ContentRow>(
      `WITH wanted AS (SELECT * FROM unnest($3::text[], $4::bool[]) WITH ORDINALITY AS w (id, with_input, at)),
         sized AS (
           SELECT w.*, r.sealed_input, r.sealed_response,
             bool_and(r.id IS NOT NULL) OVER up_to AS exist,
             sum(r.response_bytes + CASE WHEN with_input THEN r.input_bytes ELSE 0 END) OVER up_to AS bytes
           FROM wanted w LEFT JOIN storage.responses r
             ON r.id = w.id AND ${mayRead('$1', '$2', 'r.')} AND r.expires_at > now()
           WINDOW up_to AS (ORDER BY at)
         )
       SELECT id, CASE WHEN with_input THEN sealed_input END AS sealed_input, sealed_response
       FROM sized WHERE exist AND (at = 1 OR bytes <= $5) ORDER BY at`,
      [
        ...readerValues(reader),
        wanted.map(({ id }) => id),
        wanted.map(({ withInput }) => withInput),
        maxBytes,
      ],
    );
    return rows.map(({ id, sealed_input, sealed_response }) => ({
      id,
      ...(sealed_input && { input: this.#open('input', reader.accountId, id, sealed_input) }),
      response: this.#open('response', reader.accountId, id, sealed_response),
    }));
  }

  /** Returns a response; undefined if it does not exist. */
  async response(reader: ContentReader, id: string): Promise<StoredResponse | undefined> {
    const { rows } = await this.#pool.query<ResponseRow>(
      `SELECT r.sealed_response, c.response_id IS NOT NULL AS is_open, c.request_id IS NOT NULL AS is_sent
       FROM storage.responses r LEFT JOIN storage.background_calls c ON c.response_id = r.id
       WHERE r.id = $3 AND ${mayRead('$1', '$2', 'r.')} AND r.expires_at > now()`,
      [...readerValues(reader), id],
    );
    const [row] = rows;
    return (
      row && {
        json: this.#open('response', reader.accountId, id, row.sealed_response),
        ...(row.is_open && { progress: row.is_sent ? 'in_progress' : 'queued' }),
      }
    );
  }

  /** Returns the JSON of a response's input items; undefined if it does not exist. */
  async input(reader: ContentReader, id: string): Promise<Buffer | undefined> {
    const { rows } = await this.#pool.query<{ sealed_input: Buffer }>(
      `SELECT sealed_input FROM storage.responses WHERE id = $3 AND ${mayRead('$1', '$2')} AND expires_at > now()`,
      [...readerValues(reader), id],
    );
    return rows[0] && this.#open('input', reader.accountId, id, rows[0].sealed_input);
  }

  /** Returns whether the response existed. */
  async delete(reader: ContentReader, id: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `DELETE FROM storage.responses WHERE id = $3 AND ${mayRead('$1', '$2')} AND expires_at > now()`,
      [...readerValues(reader), id],
    );
    return rowCount === 1;
  }

  #open(part: 'input' | 'response', accountId: string, id: string, sealed: Buffer): Buffer {
    return openBytes(this.#keys, sealed, contextOf(part, accountId, id));
  }
}

const toSize = ({ id, state, input_bytes, response_bytes }: SizeRow): ResponseSize => ({
  id,
  ...(state && { state }),
  inputBytes: input_bytes,
  responseBytes: response_bytes,
});

/** Deletes responses that have expired, of all accounts. Returns how many, at most `max`. */
export async function deleteExpired(pool: Pool, max: number): Promise<number> {
  const { rowCount } = await pool.query(
    `DELETE FROM storage.responses WHERE id IN (
       SELECT id FROM storage.responses WHERE expires_at <= now()
       ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    [max],
  );
  return rowCount ?? 0;
}
