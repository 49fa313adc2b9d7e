import type { Pool, PoolClient } from '@gateway/postgres';
import { arrayLiteral, type Element } from './array-literal';
import { StatementBatch } from './statement-batch';

/** A statement that is parsed and planned once per connection, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export const statement = (name: string, text: string): Statement => ({ name, text });

export type Queryable = Pool | PoolClient | StatementBatch;

export type Parameter = string | number | bigint | boolean | Buffer | null | readonly Element[];

/** In a batch, the statement is added before this returns, and invalid values throw. */
export function rowsOf<Row extends object>(
  on: Queryable,
  { name, text }: Statement,
  values: readonly Parameter[],
): Promise<Row[]> {
  const bound = { name, text, values: values.map(toText) };
  if (on instanceof StatementBatch) return on.add(bound) as Promise<Row[]>;
  return on.query<Row>(bound).then(({ rows }) => rows);
}

function toText(value: Parameter): string | Buffer | null {
  if (value === null || typeof value === 'string' || Buffer.isBuffer(value)) return value;
  return typeof value === 'object' ? arrayLiteral(value) : String(value);
}

/** SQLSTATE of a database error, or the system's code of a broken connection. */
const sqlState = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;

/**
 * Whether the same transaction may succeed if it is repeated: for all errors except those about the data (class 22) or a
 * constraint (class 23). A lost connection has no SQLSTATE of either class.
 */
export function isTransient(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined || !/^2[23]/.test(state);
}

/** Whether a row was inserted whose key exists already. */
export const isDuplicate = (error: unknown): boolean => sqlState(error) === '23505';

/** Whether a figure exceeds the range of its column. */
export const isOutOfRange = (error: unknown): boolean => sqlState(error) === '22003';

/** Whether the database has canceled a statement because it took too long. */
export const isTimeout = (error: unknown): boolean => sqlState(error) === '57014';

/** Whether a lock was not acquired within `lock_timeout`. */
export const isLockTimeout = (error: unknown): boolean => sqlState(error) === '55P03';

/**
 * Whether the database has answered that nothing was done. A shutdown (class 57), an internal error or a broken connection does
 * not say so.
 */
export function isRefusal(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && /^(2\d|4\d|53|54|55)[0-9A-Z]{3}$/.test(state);
}
