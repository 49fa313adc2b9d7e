import { GatewayError } from '@gateway/errors';
import { isEmpty } from '@gateway/json-body';
import { isObject, refusalOfLink } from '@gateway/upstream';
import type { z } from 'zod';
import { MAX_WEB_SEARCHES } from '../../domain/upper-bound';
import { MAX_FAULTS } from '../body-bounds';
import type { ContentBlock } from './content-block';
import { OPAQUE_BLOCKS, READABLE_BLOCKS } from './content-block';
import { hasForeignCitation, isForeignSearch } from './foreign-searches';
import { isRefusedThinking } from './refused-thinking';
import { CLIENT_TOOL_TOKENS, TOOLS_PROMPT_TOKENS, toolKind } from './supported-tools';
import { webSearchTool } from './web-search-tool';

type Fields = Record<string, unknown>;
type Path = readonly (string | number)[];

const MAX_MESSAGES = 20_000;
const MAX_TOOLS = 1_024;
const MAX_BLOCKS = 20_000;

const ROLES = new Set<unknown>(['user', 'assistant', 'system']);
/** Message fields of OpenAI's format, which Anthropic refuses too. */
const OTHER_FORMAT = ['tool_calls', 'tool_call_id', 'function_call', 'refusal', 'name'];
const READABLE = new Set<string>(READABLE_BLOCKS);
const OPAQUE = new Set<string>(OPAQUE_BLOCKS);

/**
 * Checks the messages, system and tools of a body, and records what determines its bound and how it is sent. Written by hand
 * because a schema would copy every block of a long conversation. It checks what the gateway reads and what must not pass;
 * the rest is left to the provider.
 */
export class RequestCheck {
  readonly issues: z.core.$ZodIssue[] = [];
  /** Has content whose tokens can't be derived from its size. */
  hasMedia = false;
  images = 0;
  /** Bytes of the body that are inline images. */
  imageBytes = 0;
  /** Inline PDFs in base64. */
  readonly pdfs: string[] = [];
  /** That the provider fetches. */
  readonly links: string[] = [];
  longCache = false;
  /** Has thinking that must not reach Anthropic. */
  hasRefusedThinking = false;
  hiddenInputTokens = 0;
  /** Maximum searches of the tool that searches the web; undefined if there is none. */
  webSearches: number | undefined;
  /** Has searches of another provider, which Anthropic refuses. */
  hasForeignSearch = false;
  /** Has an empty assistant message, which Anthropic refuses. */
  emptyTurns = false;
  #blocks = 0;

  fault(path: Path, message: string): void {
    if (this.issues.length >= MAX_FAULTS) return;
    this.issues.push({ code: 'custom', path: [...path], message, input: undefined });
  }

  messages(messages: unknown): void {
    if (!Array.isArray(messages)) return;
    if (messages.length === 0) this.fault(['messages'], 'expected at least one');
    if (messages.length > MAX_MESSAGES) throw excess('messages: too many entries');
    for (const [index, message] of messages.entries()) {
      if (this.issues.length >= MAX_FAULTS) return;
      this.#message(message, ['messages', index]);
    }
  }

  system(system: unknown): void {
    if (!Array.isArray(system)) return;
    this.#list(system, ['system'], (block, path) => {
      if (block.type === 'text') this.#block(block, path);
      else this.fault([...path, 'type'], 'expected "text"');
    });
  }

  tools(tools: unknown): void {
    if (!Array.isArray(tools) || tools.length === 0) return;
    if (tools.length > MAX_TOOLS) throw excess('tools: too many entries');
    this.hiddenInputTokens += TOOLS_PROMPT_TOKENS;
    for (const [index, tool] of tools.entries()) this.#tool(tool, ['tools', index]);
  }

  cacheControl(control: unknown): void {
    if (isObject(control) && control.ttl === '1h') this.longCache = true;
  }

  #tool(tool: unknown, path: Path): void {
    if (!isObject(tool)) {
      this.fault(path, 'expected object');
      return;
    }
    this.cacheControl(tool.cache_control);
    const kind = toolKind(tool.type);
    if (typeof kind === 'object') this.fault([...path, 'type'], kind.refused);
    else if (kind === 'client') this.hiddenInputTokens += CLIENT_TOOL_TOKENS;
    else if (kind === 'client_set') this.hasMedia = true;
    else if (kind === 'web_search') this.#webSearch(tool, path);
    else this.#customTool(tool, path);
  }

  #webSearch(tool: Fields, path: Path): void {
    if (path[0] !== 'tools') this.fault([...path, 'type'], 'not supported: declare web search in tools');
    else if (this.webSearches !== undefined) this.fault([...path, 'type'], 'web search is declared twice');
    this.hiddenInputTokens += CLIENT_TOOL_TOKENS;
    this.webSearches = MAX_WEB_SEARCHES;
    const { success, data, error } = webSearchTool.safeParse(tool);
    for (const issue of error?.issues ?? []) this.fault([...path, ...issue.path.map(String)], issue.message);
    if (success) this.webSearches = data.max_uses ?? MAX_WEB_SEARCHES;
  }

  #customTool({ name, input_schema, allowed_callers: callers }: Fields, path: Path): void {
    // A server tool's code can call it any number of times, each time with the whole input.
    if (callers != null && !(Array.isArray(callers) && callers.every((caller) => caller === 'direct')))
      this.fault([...path, 'allowed_callers'], 'not supported: code execution is billed by the hour');
    if (typeof name !== 'string' || name === '') this.fault([...path, 'name'], 'expected a name');
    if (!isObject(input_schema)) this.fault([...path, 'input_schema'], 'expected object');
  }

  #message(message: unknown, path: Path): void {
    if (!isObject(message)) {
      this.fault(path, 'expected object');
      return;
    }
    const { role, content } = message;
    if (!ROLES.has(role)) this.fault([...path, 'role'], 'expected "user", "assistant" or "system"');
    for (const field of OTHER_FORMAT) {
      if (field in message) this.fault([...path, field], 'not a field of this format');
    }
    if (content === undefined && role === 'system' && message.output_config) return;
    if (isEmptyTurn(message)) this.emptyTurns = true;
    else if (isEmpty(content)) this.fault([...path, 'content'], 'expected text or blocks');
    else if (role === 'user' && Array.isArray(content) && content.every(isEmptyText)) {
      // An empty text beside other blocks has no effect; alone, removing it would leave no message.
      this.fault([...path, 'content', 0, 'text'], 'expected text');
    } else this.#content(content, [...path, 'content']);
  }

  #content(content: unknown, path: Path): void {
    if (typeof content === 'string') return;
    if (Array.isArray(content)) this.#list(content, path, (block, at) => this.#block(block, at));
    else this.fault(path, 'expected string or array');
  }

  #list(blocks: readonly unknown[], path: Path, check: (block: Fields, path: Path) => void): void {
    this.#blocks += blocks.length;
    if (this.#blocks > MAX_BLOCKS) throw excess('messages: too many blocks');
    for (const [index, block] of blocks.entries()) {
      const at = [...path, index];
      if (isObject(block)) check(block, at);
      else this.fault(at, 'expected object');
    }
  }

  #block(block: Fields, path: Path): void {
    this.cacheControl(block.cache_control);
    switch (block.type) {
      case 'text':
        this.#text(block, 'text', path);
        if (hasForeignCitation(block)) this.hasForeignSearch = true;
        break;
      case 'tool_use':
        this.#toolUse(block, path);
        break;
      case 'tool_result':
        this.#text(block, 'tool_use_id', path);
        if (block.content != null) this.#content(block.content, [...path, 'content']);
        break;
      case 'thinking':
        this.#text(block, 'thinking', path);
        if (block.signature != null) this.#text(block, 'signature', path);
        this.#thinking(block);
        break;
      case 'redacted_thinking':
        this.#text(block, 'data', path);
        this.#thinking(block);
        break;
      case 'image':
      case 'document':
        this.#media(block, path);
        break;
      case 'search_result':
        this.#searchResult(block, path);
        break;
      case 'tool_reference':
        this.#text(block, 'tool_name', path);
        break;
      default:
        this.#rareBlock(block, path);
    }
  }

  #thinking(block: Fields): void {
    if (this.issues.length > 0) return;
    if (isRefusedThinking(block as unknown as ContentBlock)) this.hasRefusedThinking = true;
  }

  #toolUse(block: Fields, path: Path): void {
    this.#text(block, 'id', path);
    this.#text(block, 'name', path);
    if (!isObject(block.input)) this.fault([...path, 'input'], 'expected object');
  }

  #searchResult(block: Fields, path: Path): void {
    this.#text(block, 'title', path);
    this.#text(block, 'source', path);
    if (Array.isArray(block.content)) this.#content(block.content, [...path, 'content']);
    else this.fault([...path, 'content'], 'expected array');
    this.#citations(block);
  }

  #media(block: Fields, path: Path): void {
    const { source } = block;
    const at = [...path, 'source'];
    if (!isObject(source)) this.fault(at, 'expected object');
    else if (block.type === 'document') this.#document(block, source, path);
    else this.#image(source, at);
  }

  #image(source: Fields, path: Path): void {
    this.images++;
    const bytes = source.type === 'base64' ? source.data : source.url;
    if (typeof bytes === 'string') this.imageBytes += bytes.length;
    this.#mediaSource(source, path);
  }

  #document(block: Fields, source: Fields, path: Path): void {
    for (const field of ['title', 'context']) {
      if (block[field] != null) this.#text(block, field, path);
    }
    this.#citations(block);
    const at = [...path, 'source'];
    if (source.type === 'text') this.#text(source, 'data', at);
    else if (source.type === 'content') this.#content(source.content, [...at, 'content']);
    else {
      const { type, media_type: mediaType, data } = source;
      const isPdf = type === 'base64' && mediaType === 'application/pdf' && typeof data === 'string';
      if (isPdf) this.pdfs.push(data);
      else this.hasMedia = true;
      this.#mediaSource(source, at);
    }
  }

  #mediaSource(source: Fields, path: Path): void {
    if (source.type === 'base64') {
      this.#text(source, 'data', path);
      this.#text(source, 'media_type', path);
    } else if (source.type === 'url') {
      this.#text(source, 'url', path);
      if (typeof source.url !== 'string') return;
      const why = refusalOfLink(source.url);
      if (why) this.fault([...path, 'url'], why);
      else this.links.push(source.url);
    } else if (source.type === 'file') {
      // Files are stored in the one account that all callers share.
      this.fault([...path, 'type'], 'files by id are not supported');
    } else {
      this.fault([...path, 'type'], 'unknown source type');
    }
  }

  /** Text with citations is split into numbered pieces, which adds tokens. */
  #citations({ citations }: Fields): void {
    if (isObject(citations) && citations.enabled === true) this.hasMedia = true;
  }

  #rareBlock(block: Fields, path: Path): void {
    const type = typeof block.type === 'string' ? block.type : '';
    if (isForeignSearch(block)) this.hasForeignSearch = true;
    if (OPAQUE.has(type)) this.hasMedia = true;
    else if (type === 'tool_addition') {
      this.#toolAddition(block, path);
    } else if (type === 'container_upload') {
      this.fault([...path, 'type'], 'not supported: containers are billed by the hour');
    } else if (!READABLE.has(type)) {
      this.fault([...path, 'type'], 'unknown block type');
    }
    if (asksLongCache(block)) this.longCache = true;
  }

  /** Refers to a tool by its name, or includes its definition. */
  #toolAddition({ tool }: Fields, path: Path): void {
    if (!isObject(tool) || tool.definition === undefined) return;
    this.hiddenInputTokens += TOOLS_PROMPT_TOKENS;
    this.#tool(tool.definition, [...path, 'tool', 'definition']);
  }

  #text(block: Fields, field: string, path: Path): void {
    if (typeof block[field] !== 'string') this.fault([...path, field], 'expected string');
  }
}

/** Whether it is a reply that its provider ended before the first word, sent back: `""`, `[]` or only empty texts. */
export function isEmptyTurn({
  role,
  content,
}: {
  readonly role?: unknown;
  readonly content?: unknown;
}): boolean {
  if (role !== 'assistant') return false;
  return content === '' || (Array.isArray(content) && content.every(isEmptyText));
}

const isEmptyText = (block: unknown): boolean =>
  isObject(block) && block.type === 'text' && block.text === '';

const MAX_DEPTH = 16;

/** Whether any block, at any depth, requests a cache entry with a lifetime of an hour. */
function asksLongCache(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return false;
  if (!Array.isArray(value) && isObject((value as Fields).cache_control)) {
    if (((value as Fields).cache_control as Fields).ttl === '1h') return true;
  }
  return Object.values(value).some((inner) => asksLongCache(inner, depth + 1));
}

function excess(detail: string): GatewayError {
  return new GatewayError('invalid_request', { detail });
}
