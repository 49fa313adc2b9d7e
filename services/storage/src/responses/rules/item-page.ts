import { GatewayError } from '@gateway/errors';

/** Selects items of a list. */
export interface ItemPageRequest {
  readonly limit: number;
  readonly order: 'asc' | 'desc';
  /** Items that follow the one with this id. */
  readonly after?: string;
}

const DEFAULT_LIMIT = 20;
/** `include[]` is how the official clients write a list. */
const PARAMETERS: ReadonlySet<string> = new Set(['limit', 'order', 'after', 'include', 'include[]']);
const LIMIT = /^([1-9]\d?|100)$/;

/** Parses the query of `GET /v1/responses/{id}/input_items`. @throws GatewayError `invalid_request` */
export function parseItemPage(query: string): ItemPageRequest {
  const params = new URLSearchParams(query);
  for (const name of params.keys()) {
    if (!PARAMETERS.has(name)) throw invalid(`${name.slice(0, 100)}: unknown parameter`);
  }
  const limit = params.get('limit');
  const order = params.get('order') ?? 'desc';
  const after = params.get('after');
  if (limit !== null && !LIMIT.test(limit)) throw invalid('limit: not a number from 1 to 100');
  if (order !== 'asc' && order !== 'desc') throw invalid('order: neither asc nor desc');
  return { limit: limit === null ? DEFAULT_LIMIT : Number(limit), order, ...(after && { after }) };
}

/** Returns a page as OpenAI's API has it. @throws GatewayError `invalid_request` if no item has the id of `after` */
export function itemPage<T extends { readonly id: string }>(
  items: readonly T[],
  { limit, order, after }: ItemPageRequest,
) {
  const ordered = order === 'asc' ? items : items.toReversed();
  const start = after === undefined ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0) throw invalid('after: no item has this id');
  const data = ordered.slice(start, start + limit);
  return {
    object: 'list',
    data,
    first_id: data.at(0)?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: start + limit < ordered.length,
  };
}

const invalid = (detail: string) => new GatewayError('invalid_request', { detail });
