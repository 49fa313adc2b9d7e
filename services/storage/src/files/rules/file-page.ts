import { GatewayError } from '@gateway/errors';

/** Selects files of an account. */
export interface FilePageRequest {
  readonly limit: number;
  readonly order: 'asc' | 'desc';
  /** Files that follow the one with this id, which may be gone. */
  readonly after?: string;
  readonly purpose?: string;
}

/** Callers may ask for 10,000, OpenAI's default: they get a page of this size and `has_more`. */
const MAX_PAGE = 1_000;
const PARAMETERS: ReadonlySet<string> = new Set(['limit', 'order', 'after', 'purpose']);
const LIMIT = /^([1-9]\d{0,3}|10000)$/;
const MAX_TEXT = 100;

/** Parses the query of `GET /v1/files`. @throws GatewayError `invalid_request` */
export function parseFilePage(query: string): FilePageRequest {
  const params = new URLSearchParams(query);
  for (const name of params.keys()) {
    if (!PARAMETERS.has(name)) throw invalid(`${name.slice(0, MAX_TEXT)}: unknown parameter`);
  }
  const limit = params.get('limit') ?? '10000';
  const order = params.get('order') ?? 'desc';
  const after = textOf(params, 'after');
  const purpose = textOf(params, 'purpose');
  if (!LIMIT.test(limit)) throw invalid('limit: not a number from 1 to 10000');
  if (order !== 'asc' && order !== 'desc') throw invalid('order: neither asc nor desc');
  return {
    limit: Math.min(Number(limit), MAX_PAGE),
    order,
    ...(after && { after }),
    ...(purpose && { purpose }),
  };
}

/** PostgreSQL takes no text with a zero character. */
function textOf(params: URLSearchParams, name: string): string | undefined {
  const value = params.get(name) ?? undefined;
  if (value && (value.length > MAX_TEXT || value.includes('\0'))) throw invalid(`${name}: not a valid value`);
  return value;
}

const invalid = (detail: string) => new GatewayError('invalid_request', { detail });
