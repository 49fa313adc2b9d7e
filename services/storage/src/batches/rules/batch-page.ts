import { GatewayError } from '@gateway/errors';

export interface BatchPageRequest {
  readonly limit: number;
  /** Batches created before the one with this id. */
  readonly before?: string;
  /** Batches created after the one with this id. */
  readonly after?: string;
}

const LIMIT = /^[1-9]\d{0,2}$/;
const MAX_ID = 100;

/** Parses the query of `GET /v1/batches`. @throws GatewayError `invalid_request` */
export function parseBatchPage(query: string): BatchPageRequest {
  const params = known(query, ['limit', 'after']);
  const after = idOf(params, 'after');
  // OpenAI's lists are newest first: what follows is older.
  return { limit: limitOf(params, 100), ...(after && { before: after }) };
}

/** Parses the query of `GET /v1/messages/batches`. @throws GatewayError `invalid_request` */
export function parseMessageBatchPage(query: string): BatchPageRequest {
  // Older versions of Anthropic's SDK say here that they use the beta API.
  const params = known(query, ['limit', 'before_id', 'after_id', 'beta']);
  const before = idOf(params, 'before_id');
  const after = idOf(params, 'after_id');
  if (before && after) throw invalid('before_id, after_id: both are given');
  // Anthropic's lists are newest first, and `after_id` asks for what follows in that order.
  return { limit: limitOf(params, 1_000), ...(after && { before: after }), ...(before && { after: before }) };
}

function known(query: string, names: readonly string[]): URLSearchParams {
  const params = new URLSearchParams(query);
  for (const name of params.keys())
    if (!names.includes(name)) throw invalid(`${name.slice(0, MAX_ID)}: unknown parameter`);
  return params;
}

function limitOf(params: URLSearchParams, max: number): number {
  const limit = params.get('limit') ?? '20';
  if (!(LIMIT.test(limit) || limit === '1000') || Number(limit) > max)
    throw invalid(`limit: not a number from 1 to ${max}`);
  return Number(limit);
}

/** PostgreSQL takes no text with a zero character. */
function idOf(params: URLSearchParams, name: string): string | undefined {
  const id = params.get(name) ?? undefined;
  if (id && (id.length > MAX_ID || id.includes('\0'))) throw invalid(`${name}: not a valid id`);
  return id;
}

const invalid = (detail: string) => new GatewayError('invalid_request', { detail });
