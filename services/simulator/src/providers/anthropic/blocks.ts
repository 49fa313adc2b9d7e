import { isRedacted, sign } from '../../domain/signer';
import { isObject, type Json } from '../json';
import type { CacheControls } from './cache-controls';
import { invalid } from './error';
import { listAt, matchAt, objectAt, oneOfAt, onlyFields, stringAt } from './fields';
import { checkCitations, checkResults } from './web-search';

/** A parsed content block; `other` only counts towards the prompt: images, documents, server tools. */
export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'other' }
  | { readonly kind: 'thinking' }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly arguments: string }
  | { readonly kind: 'result'; readonly id: string; readonly content: readonly Block[]; readonly at: string };

type Place = 'user' | 'assistant' | 'system' | 'tool_result';

interface BlockType {
  readonly fields: ReadonlySet<string>;
  readonly places: readonly Place[];
  read(block: Json, at: string, cacheControls: CacheControls): Block;
}

const ID = /^[a-zA-Z0-9_-]+$/;
export const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;
const OTHER: Block = { kind: 'other' };

const fields = (...names: string[]) => new Set(['type', ...names]);

const TYPES: Readonly<Record<string, BlockType>> = {
  text: {
    fields: fields('text', 'cache_control', 'citations'),
    places: ['user', 'assistant', 'system', 'tool_result'],
    read: readText,
  },
  image: {
    fields: fields('source', 'cache_control', 'transformations'),
    places: ['user', 'tool_result'],
    read: readImage,
  },
  document: {
    fields: fields('source', 'cache_control', 'citations', 'context', 'title'),
    places: ['user', 'tool_result'],
    read: readDocument,
  },
  search_result: {
    fields: fields('source', 'title', 'content', 'cache_control', 'citations'),
    places: ['user', 'tool_result'],
    read: () => OTHER,
  },
  thinking: { fields: fields('thinking', 'signature'), places: ['assistant'], read: readThinking },
  redacted_thinking: { fields: fields('data'), places: ['assistant'], read: readRedactedThinking },
  tool_use: {
    fields: fields('id', 'name', 'input', 'cache_control', 'caller', 'toolset_name'),
    places: ['assistant'],
    read: readToolUse,
  },
  tool_result: {
    fields: fields('tool_use_id', 'content', 'is_error', 'cache_control', 'toolset_name'),
    places: ['user'],
    read: readToolResult,
  },
};

// Blocks of server tools, of which the simulator returns searches.
const SERVER_TYPE = /^(server_tool_use|container_upload|[a-z_]+_tool_result)$/;

/** Reads a message's content: a string or a list of blocks. */
export function readContent(value: unknown, place: Place, at: string, cacheControls: CacheControls): Block[] {
  if (typeof value === 'string') return value === '' ? [] : [{ kind: 'text', text: value }];
  return listAt(value, at).map((block, i) => readBlock(block, place, `${at}.${i}`, cacheControls));
}

function readBlock(value: unknown, place: Place, at: string, cacheControls: CacheControls): Block {
  const block = objectAt(value, at);
  const name = stringAt(block.type, `${at}.type`);
  const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  if (type === undefined) {
    if (SERVER_TYPE.test(name)) {
      checkResults(block, `${at}.${name}`);
      return OTHER;
    }
    throw invalid(`${at}: Input tag '${name}' found using 'type' does not match any of the expected tags`);
  }
  if (!type.places.includes(place))
    throw invalid(`${at}: \`${name}\` blocks are not allowed in ${place} content`);
  onlyFields(block, type.fields, `${at}.${name}`);
  const read = type.read(block, `${at}.${name}`, cacheControls);
  // After the nested content, because a result's cache_control applies at its end.
  cacheControls.add(block.cache_control, `${at}.${name}`);
  return read;
}

function readText(block: Json, at: string): Block {
  const text = stringAt(block.text, `${at}.text`);
  if (text === '') throw invalid('messages: text content blocks must be non-empty');
  if (text.trim() === '') throw invalid('messages: text content blocks must contain non-whitespace text');
  checkCitations(block.citations, at);
  return { kind: 'text', text };
}

function readImage(block: Json, at: string): Block {
  const source = objectAt(block.source, `${at}.source`);
  const type = oneOfAt(source.type, ['base64', 'url', 'file'], `${at}.source.type`);
  if (type === 'base64') {
    oneOfAt(source.media_type, IMAGE_TYPES, `${at}.source.base64.media_type`);
    matchAt(source.data, BASE64, `${at}.source.base64.data`);
  } else if (type === 'url') readUrl(source, at);
  return OTHER;
}

function readDocument(block: Json, at: string): Block {
  const source = objectAt(block.source, `${at}.source`);
  const type = oneOfAt(source.type, ['base64', 'text', 'url', 'content', 'file'], `${at}.source.type`);
  if (type === 'base64') {
    oneOfAt(source.media_type, ['application/pdf'], `${at}.source.base64.media_type`);
    matchAt(source.data, BASE64, `${at}.source.base64.data`);
  } else if (type === 'text') {
    oneOfAt(source.media_type, ['text/plain'], `${at}.source.text.media_type`);
    stringAt(source.data, `${at}.source.text.data`);
  } else if (type === 'url') readUrl(source, at);
  return OTHER;
}

function readUrl(source: Json, at: string): void {
  const url = stringAt(source.url, `${at}.source.url.url`);
  if (!url.startsWith('https://')) throw invalid(`${at}.source: Only HTTPS URLs are supported.`);
}

function readThinking(block: Json, at: string): Block {
  const thinking = stringAt(block.thinking, `${at}.thinking`);
  const signature = stringAt(block.signature, `${at}.signature`);
  const known = thinking === '' ? isRedacted(signature) : signature === sign('thinking', thinking);
  if (!known) {
    throw invalid(`${at.slice(0, at.lastIndexOf('.'))}: Invalid \`signature\` in \`thinking\` block`);
  }
  return { kind: 'thinking' };
}

function readRedactedThinking(block: Json, at: string): Block {
  if (!isRedacted(stringAt(block.data, `${at}.data`))) {
    throw invalid(`${at.slice(0, at.lastIndexOf('.'))}: Invalid \`data\` in \`redacted_thinking\` block`);
  }
  return { kind: 'thinking' };
}

function readToolUse(block: Json, at: string): Block {
  const id = matchAt(block.id, ID, `${at}.id`);
  const name = matchAt(block.name, TOOL_NAME, `${at}.name`);
  if (!isObject(block.input)) throw invalid(`${at}.input: Input should be a valid dictionary`);
  return { kind: 'call', id, name, arguments: JSON.stringify(block.input) };
}

function readToolResult(block: Json, at: string, cacheControls: CacheControls): Block {
  const id = matchAt(block.tool_use_id, ID, `${at}.tool_use_id`);
  if (block.is_error !== undefined && typeof block.is_error !== 'boolean') {
    throw invalid(`${at}.is_error: Input should be a valid boolean`);
  }
  const content =
    block.content === undefined
      ? []
      : readContent(block.content, 'tool_result', `${at}.content`, cacheControls);
  return { kind: 'result', id, content, at };
}
