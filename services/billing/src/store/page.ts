import { GatewayError } from '@gateway/errors';
import { MAX_INT8 } from '../domain/int8';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;

/** A page of a list, newest first. */
export interface PageRequest {
  readonly limit: number;
  /** Lists rows with smaller numbers. */
  readonly before: bigint;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Empty on the last page. */
  readonly nextCursor: string;
}

/** Throws `invalid_request` for an invalid cursor. */
export function toPageRequest(limit: number, cursor: string): PageRequest {
  if (cursor !== '' && !/^\d{1,18}$/.test(cursor)) {
    throw new GatewayError('invalid_request', { detail: 'cursor: invalid cursor' });
  }
  return {
    limit: limit === 0 ? DEFAULT_LIMIT : Math.min(limit, MAX_LIMIT),
    before: cursor === '' ? MAX_INT8 : BigInt(cursor),
  };
}

/** Takes one row more than the page holds, which shows whether there is a next page. */
export function toPage<Row extends { seq: bigint }>(rows: readonly Row[], limit: number): Page<Row> {
  const page = rows.slice(0, limit);
  return { rows: page, nextCursor: rows.length > limit ? String(page.at(-1)?.seq ?? '') : '' };
}
