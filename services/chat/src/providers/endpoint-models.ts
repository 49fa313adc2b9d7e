import { isObject, type JsonObject, listOf } from '@gateway/upstream';
import type { EndpointModel } from '../domain/chat-provider';

const MAX_MODELS = 5_000;
const MAX_ID_CHARS = 200;
/** Far larger than any context. */
const MAX_TOKENS = 2_000_000_000;

/**
 * Reads the models of a list.
 * @param read returns undefined for an entry that is not a chat model
 * @throws Error if there is no list
 */
export function readModels(
  list: unknown,
  read: (entry: JsonObject) => ListedEntry | undefined,
): readonly EndpointModel[] {
  if (!Array.isArray(list)) throw new Error('the reply has no list of models');
  return listOf(list)
    .slice(0, MAX_MODELS)
    .flatMap((entry) => (isObject(entry) ? toModel(read(entry)) : []));
}

/** What an endpoint says of a model, not yet checked. */
export interface ListedEntry {
  readonly id: unknown;
  readonly name?: unknown;
  readonly contextLength?: unknown;
  readonly maxOutputTokens?: unknown;
}

function toModel(entry: ListedEntry | undefined): EndpointModel[] {
  const { id, name, contextLength, maxOutputTokens } = entry ?? {};
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID_CHARS) return [];
  return [
    {
      id,
      ...(typeof name === 'string' && name !== '' && { name: name.slice(0, MAX_ID_CHARS) }),
      ...(isTokens(contextLength) && { contextLength }),
      ...(isTokens(maxOutputTokens) && { maxOutputTokens }),
    },
  ];
}

const isTokens = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) > 0 && (value as number) <= MAX_TOKENS;
