import { GatewayError } from '@gateway/errors';
import {
  isEmpty,
  missingParameter,
  type ParsedObject,
  parseJsonObject,
  safeParse,
  schemaError,
  withMembers,
  withoutEmptyModel,
} from '@gateway/json-body';
import { isObject, membersOf, textOf } from '@gateway/upstream';
import type { z } from 'zod';
import type { CallerRequest, UnknownFields } from '../../domain/caller-request';
import { type Conversation, WEB_SEARCH, type WebSearch } from '../../domain/conversation';
import type { PassThroughChange } from '../../domain/pass-through-change';
import { ENCRYPTED_REASONING } from '../../domain/response-members';
import { readSummary } from '../../domain/summary-content';
import { MAX_WEB_SEARCHES } from '../../domain/upper-bound';
import { isWebSearchType } from '../../domain/web-search-type';
import { BODY_BOUNDS, MAX_FAULTS } from '../body-bounds';
import type { ChatCompletionBody } from '../openai/chat-schema';
import { refusePrivateLinks, sizeOfMedia } from '../openai/message-media';
import { toConversation } from '../openai/to-conversation';
import { toLocation } from '../search-location';
import { CallerTools, flatName } from './caller-tools';
import { compactingCall } from './compacting-call';
import { type ResponsesReplies, responsesReplies } from './responses-replies';
import {
  type DeclaredTool,
  type InputItem,
  type ItemReference,
  type ItemType,
  isCompactionTrigger,
  isLeftOut,
  isPassedItem,
  itemReferenceSchema,
  itemSchemas,
  looseResponsesSchema,
  passedItemSchema,
  type ResponsesBody,
  responsesSchema,
  toolSchemas,
  webSearchTool,
} from './responses-schema';
import { toChatMessages } from './to-chat-messages';

type Issue = z.core.$ZodIssue;

/** Required fields for which null and empty count as missing. */
const REQUIRED = ['input', 'role', 'content', 'type', 'call_id', 'tools.name'];
const MAX_ITEMS = 20_000;
const MAX_PARTS = 20_000;
const MAX_TOOLS = 1_024;
/** Values of `include` that ask for details of tools. A translated reply has those that there are. */
const WITHOUT_EFFECT = new Set([
  ...['web_search_call.results', 'web_search_call.action.sources', 'file_search_call.results'],
  ...[
    'code_interpreter_call.outputs',
    'computer_call_output.output.image_url',
    'message.input_image.image_url',
  ],
]);

export interface ResponsesOptions {
  /** How to treat top-level fields that the format does not document. */
  readonly unknownFields?: UnknownFields;
  /** Responses can be stored. */
  readonly canStore?: boolean;
  /** The call needs no input of its own. */
  readonly takesNoInput?: boolean;
}

/** The stored responses and items that a call refers to. */
export interface StoredReferences {
  /** Id of the response that the call continues. */
  readonly previousId: string | undefined;
  readonly itemIds: readonly string[];
}

/** What they stand for. */
export interface StoredItems {
  /** Items of the conversation that the call continues. */
  readonly conversation: readonly unknown[];
  readonly byId: ReadonlyMap<string, unknown>;
}

/** A call with all of its items. */
export interface ResponsesCall extends CallerRequest {
  /** Items of its input, without those of the conversation that it continues. */
  readonly ownItems: readonly InputItem[];
  /** The caller sends reasoning back, so that the provider can go on from it. */
  readonly includesEncrypted: boolean;
  readonly replies: ResponsesReplies;
}

/** A valid call, as far as that is known without stored items. */
export interface ResponsesRequest extends StoredReferences {
  /** The response is to be stored. */
  readonly isStored: boolean;
  /** The client relies on that: it said so, or goes on from a stored response. */
  readonly mustBeStored: boolean;
  /** The client does not wait for the response. */
  readonly isBackground: boolean;
  /**
   * @param stored required if the call refers to something
   * @throws GatewayError `not_found` for a reference to an item that is not among them
   */
  withItems(stored?: StoredItems): ResponsesCall;
}

/** @throws GatewayError `invalid_request`, then `missing_parameter`, then `invalid_model` */
export function parseResponsesRequest(
  bytes: Buffer,
  { unknownFields = 'refuse', canStore = false, takesNoInput = false }: ResponsesOptions = {},
): ResponsesRequest {
  const parsed = parseJsonObject(bytes, BODY_BOUNDS);
  const { value } = parsed;
  const {
    body,
    items,
    compacts,
    tools: declared,
    search,
  } = parseBody(withoutEmptyModel(value), unknownFields, canStore);
  refuseUnsupported(body, canStore);
  const tools = new CallerTools(declared);
  const messages = toChatMessages(items);
  refuseFileIds(items);
  refusePrivateLinks(messages, 'input');
  const continues = body.previous_response_id != null;
  if (items.length === 0 && !takesNoInput && !(compacts && continues)) throw missingParameter('input');
  requireContent(items);
  if (!body.model) throw new GatewayError('invalid_model');
  const { model } = body;
  const isStored = body.store ?? canStore;
  const mustBeStored = isStored && (body.store === true || continues);
  const itemIds = items.flatMap((item) => (item.type === 'item_reference' ? [item.id] : []));
  // A large item would be loaded once and written many times.
  if (new Set(itemIds).size < itemIds.length) throw invalid('input: an item is referred to twice');
  return {
    isStored,
    mustBeStored,
    isBackground: body.background ?? false,
    previousId: body.previous_response_id ?? undefined,
    itemIds,
    withItems: (stored) => {
      const call = callOf(
        { ...parsed, bytes, body: { ...body, model }, compacts, tools, search, isStored },
        itemsOf(value.input, items, stored),
      );
      return compacts ? compactingCall(call) : call;
    },
  };
}

interface ValidBody extends ParsedObject {
  readonly bytes: Buffer;
  readonly body: ResponsesBody & { readonly model: string };
  readonly compacts: boolean;
  readonly tools: CallerTools;
  readonly search: WebSearch | undefined;
  readonly isStored: boolean;
}

interface AllItems {
  readonly own: readonly InputItem[];
  readonly conversation: readonly InputItem[];
  /** The `input` with stored items in the place of references. */
  readonly input: unknown;
  /** Bytes that the body lacks. */
  readonly storedBytes: number;
}

/** A compaction that the gateway has made, which every model can read. */
const isSummary = (item: unknown): boolean =>
  isObject(item) && item.type === 'compaction' && readSummary(textOf(item.encrypted_content)) !== undefined;
const SUMMARY = { compaction: passedItemSchema };

const NO_STORED_ITEMS: StoredItems = { conversation: [], byId: new Map() };

/** Returns a stored conversation without the replies, calls and results that its last compaction stands for. */
function sinceCompaction(items: readonly unknown[]): readonly unknown[] {
  const last = items.findLastIndex((item) => isObject(item) && item.type === 'compaction');
  const isKept = (item: unknown, index: number) => {
    const { type, role } = membersOf(item);
    return index >= last || ((type ?? 'message') === 'message' && role !== 'assistant');
  };
  return last === -1 ? items : items.filter(isKept);
}

function itemsOf(
  input: unknown,
  items: readonly (InputItem | ItemReference)[],
  { conversation: stored, byId }: StoredItems = NO_STORED_ITEMS,
): AllItems {
  const conversation = sinceCompaction(stored);
  if (conversation.length + items.length > MAX_ITEMS) throw invalid('input: too many entries');
  let storedBytes = 0;
  const read = (item: unknown): InputItem[] => {
    storedBytes += Buffer.byteLength(JSON.stringify(item));
    const { type } = item as InputItem;
    // A response that was passed through may have items of other types; only its provider knows them.
    const known: Partial<Record<string, z.ZodType<InputItem>>> = isSummary(item) ? SUMMARY : itemSchemas;
    const { success, data } = known[type ?? 'message']?.safeParse(item) ?? { success: false };
    return success ? [data] : [];
  };
  const own = items.flatMap((item, index) => {
    if (item.type !== 'item_reference') return [item];
    const stored = byId.get(item.id);
    if (!stored) throw new GatewayError('not_found', { detail: `input[${index}]: the item is not stored` });
    return read(stored);
  });
  const earlier = conversation.flatMap(read);
  const isWhole = conversation.length === 0 && items.every(({ type }) => type !== 'item_reference');
  const entries = Array.isArray(input) ? input : [{ role: 'user', content: input }];
  const known = (entry: unknown) =>
    isObject(entry) && entry.type === 'item_reference' ? byId.get(textOf(entry.id)) : entry;
  return {
    ...{ own, conversation: earlier, storedBytes },
    input: isWhole ? input : [...conversation, ...entries.map(known)],
  };
}

function callOf(
  { bytes, value, members, body, compacts, tools, search, isStored }: ValidBody,
  { own, conversation: earlier, input, storedBytes }: AllItems,
): ResponsesCall {
  const items = earlier.length === 0 ? own : [...earlier, ...own];
  const messages = toChatMessages(items);
  const { max_output_tokens: maxOutputTokens } = body;
  const includesEncrypted = body.include?.includes(ENCRYPTED_REASONING) ?? false;
  let conversation: Conversation | undefined;
  return {
    ownItems: own,
    includesEncrypted,
    isStored,
    wire: 'responses',
    model: body.model,
    stream: body.stream ?? false,
    includeUsage: true,
    serviceTier: body.service_tier ?? undefined,
    size: {
      bodyBytes: bytes.length + storedBytes,
      ...sizeOfMedia(messages),
      choices: 1,
      predictionBytes: 0,
      ...(maxOutputTokens != null && { maxOutputTokens }),
      ...(search && { webSearches: search.maxSearches }),
    },
    passThroughHeaders: {},
    parsed: input === value.input ? value : { ...value, input },
    conversation() {
      refusePassedItems(items);
      conversation ??= toNeutral(body, messages, tools, search);
      return conversation;
    },
    passThroughBody(change) {
      const own = passThroughMembers(body, isStored, search, change);
      if (input !== value.input) own.set('input', JSON.stringify(input));
      const sent = {
        ...value,
        input,
        ...offered(body),
        ...(search && { max_tool_calls: search.maxSearches }),
      };
      for (const [member, json] of change.overrides?.(sent) ?? []) own.set(member, json);
      return withMembers(bytes, members, own);
    },
    replies: responsesReplies({
      body,
      tools,
      includesEncrypted,
      isStored,
      compacts,
    }),
  };
}

/** Returns the members to change for a provider of this format. It never stores the response: the gateway does, if asked to. */
function passThroughMembers(
  body: ResponsesBody,
  isStored: boolean,
  search: WebSearch | undefined,
  { upstreamModel, maxTokens }: PassThroughChange,
): Map<string, string | undefined> {
  const { include, max_tool_calls: maxCalls } = body;
  const members = new Map<string, string | undefined>([
    ['model', JSON.stringify(upstreamModel)],
    ['store', 'false'],
    ['previous_response_id', undefined],
    ['background', undefined],
    ['client_metadata', undefined],
  ]);
  if (maxTokens !== undefined) members.set('max_output_tokens', String(maxTokens));
  if (search && maxCalls !== search.maxSearches) members.set('max_tool_calls', String(search.maxSearches));
  const { tools } = offered(body);
  if (tools && tools.length !== body.tools?.length) members.set('tools', JSON.stringify(tools));
  // The next call that refers to the response goes on from its reasoning.
  if (isStored && !include?.includes(ENCRYPTED_REASONING))
    members.set('include', JSON.stringify([...(include ?? []), ENCRYPTED_REASONING]));
  return members;
}

/** Returns the tools that are not left out; nothing without tools. */
const offered = ({ tools }: ResponsesBody): { readonly tools?: readonly unknown[] } =>
  tools ? { tools: tools.filter((tool) => !isLeftOut(tool as Record<string, unknown>)) } : {};

function toNeutral(
  body: ResponsesBody,
  messages: ChatCompletionBody['messages'],
  tools: CallerTools,
  webSearch: WebSearch | undefined,
): Conversation {
  const { reasoning, text, instructions, tool_choice: choice } = body;
  const { format } = text ?? {};
  const forcesSearch = isObject(choice) && isWebSearchType(choice.type);
  if (forcesSearch && !webSearch) throw invalid('tool_choice: does not match any tool in the request');
  const chat: ChatCompletionBody = {
    model: body.model,
    messages,
    tools: [...tools.functions],
    tool_choice: forcesSearch ? 'auto' : isObject(choice) ? toChatChoice(choice) : choice,
    parallel_tool_calls: body.parallel_tool_calls,
    max_completion_tokens: body.max_output_tokens,
    reasoning_effort: reasoning?.effort,
    response_format: format && { type: format.type, json_schema: format },
    temperature: body.temperature,
    top_p: body.top_p,
    service_tier: body.service_tier,
    safety_identifier: body.safety_identifier ?? body.user,
    stream: body.stream,
  };
  const conversation: Conversation = {
    ...toConversation(chat, 'input'),
    webSearch,
    ...(forcesSearch && { toolChoice: { kind: 'tool', name: WEB_SEARCH } }),
  };
  if (!instructions) return conversation;
  const first = { kind: 'text', text: instructions, cache: undefined } as const;
  return { ...conversation, system: [first, ...conversation.system] };
}

/** @throws GatewayError `invalid_request` for the choice of a tool that the provider runs */
function toChatChoice(choice: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const functionOf = (tool: unknown, path: string) => {
    const { type, name, namespace } = isObject(tool) ? tool : {};
    if ((type !== 'function' && type !== 'custom') || typeof name !== 'string')
      throw invalid(`${path}: only functions and custom tools can be chosen`);
    return { type: 'function', function: { name: flatName(name, textOf(namespace)) } };
  };
  if (choice.type !== 'allowed_tools') return functionOf(choice, 'tool_choice');
  const tools = Array.isArray(choice.tools) ? choice.tools : [];
  const allowed = tools.map((tool, at) => functionOf(tool, `tool_choice.tools[${at}]`));
  return { type: 'allowed_tools', allowed_tools: { mode: choice.mode, tools: allowed } };
}

interface ParsedBody {
  readonly body: ResponsesBody;
  /** Without the one that asks for a compaction. */
  readonly items: readonly (InputItem | ItemReference)[];
  readonly compacts: boolean;
  readonly tools: readonly DeclaredTool[];
  readonly search: WebSearch | undefined;
}

/** @throws GatewayError for the first wrong value, or else for the first missing one */
function parseBody(
  value: Record<string, unknown>,
  unknownFields: UnknownFields,
  canStore: boolean,
): ParsedBody {
  const schema = unknownFields === 'refuse' ? responsesSchema : looseResponsesSchema;
  const result = safeParse(schema, value);
  const issues: Issue[] = [...(result.error?.issues ?? [])];
  const items =
    typeof value.input === 'string' ? textItem(value.input) : readItems(value.input, issues, canStore);
  const tools = readTools(value.tools, issues);
  const searchTool = readSearch(value.tools, issues);
  if (issues.length > 0 || !result.success) throw schemaError(value, issues, REQUIRED);
  const search = searchTool && toWebSearch(searchTool, result.data.max_tool_calls);
  const compacts = Array.isArray(value.input) && isCompactionTrigger(value.input.at(-1));
  return { body: result.data, items, compacts, tools, search };
}

/** The model has read what it found: its answer follows. */
const isSearchCall = (type: unknown): boolean => type === 'web_search_call';

const textItem = (text: string): InputItem[] => (text === '' ? [] : [{ role: 'user', content: text }]);

function readItems(input: unknown, issues: Issue[], canStore: boolean): (InputItem | ItemReference)[] {
  const entries: readonly unknown[] = Array.isArray(input) ? input : [];
  if (entries.length > MAX_ITEMS) throw invalid('input: too many entries');
  const items: (InputItem | ItemReference)[] = [];
  let parts = 0;
  for (const [index, entry] of entries.entries()) {
    const { type = 'message', content, output } = isObject(entry) ? entry : {};
    for (const list of [content, output]) if (Array.isArray(list)) parts += list.length;
    if (parts > MAX_PARTS) throw invalid('input: too many parts');
    if (isSearchCall(type)) continue;
    if (isCompactionTrigger(entry)) {
      if (index < entries.length - 1)
        throw invalid(`input[${index}]: compaction_trigger must be the last item`);
      continue;
    }
    const isReference = type === 'item_reference';
    const isPassed = isPassedItem({ type });
    if (isReference && !canStore) throw invalid(`input[${index}]: ${NOT_STORED}`);
    if (typeof type === 'string' && !isReference && !isPassed && !Object.hasOwn(itemSchemas, type))
      throw invalid(`input[${index}].type: items of type ${type.slice(0, 64)} are not supported`);
    const itemType = typeof type === 'string' ? (type as ItemType) : 'message';
    const ownSchema = isPassed ? passedItemSchema : itemSchemas[itemType];
    const schema = isReference ? itemReferenceSchema : ownSchema;
    const found = safeParse<InputItem | ItemReference>(schema, entry);
    if (found.success) items.push(found.data);
    else
      for (const issue of found.error.issues)
        issues.push({ ...issue, path: ['input', index, ...issue.path] });
    if (issues.length >= MAX_FAULTS) break;
  }
  return items;
}

/** Counts namespaces and the tools in them alike. */
function countTools(entries: readonly unknown[]): number {
  let count = entries.length;
  for (const entry of entries) if (isObject(entry) && Array.isArray(entry.tools)) count += entry.tools.length;
  return count;
}

function readTools(value: unknown, issues: Issue[]): DeclaredTool[] {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [];
  if (countTools(entries) > MAX_TOOLS) throw invalid('tools: too many entries');
  const tools: DeclaredTool[] = [];
  for (const [index, entry] of entries.entries()) {
    const { type } = isObject(entry) ? entry : {};
    if (isObject(entry) && (isLeftOut(entry) || isWebSearchType(type))) continue;
    if (typeof type === 'string' && !Object.hasOwn(toolSchemas, type))
      throw invalid(`tools[${index}].type: ${type.slice(0, 64)} is not supported`);
    const schema = toolSchemas[typeof type === 'string' ? (type as keyof typeof toolSchemas) : 'function'];
    const found = safeParse<DeclaredTool>(schema, entry);
    if (found.success) tools.push(found.data);
    else
      for (const issue of found.error.issues)
        issues.push({ ...issue, path: ['tools', index, ...issue.path] });
    if (issues.length >= MAX_FAULTS) break;
  }
  return tools;
}

/** Returns the tool that searches the web; undefined if there is none. */
function readSearch(value: unknown, issues: Issue[]): z.output<typeof webSearchTool> | undefined {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [];
  const isSearch = (entry: unknown) => isObject(entry) && isWebSearchType(entry.type) && !isLeftOut(entry);
  const index = entries.findIndex(isSearch);
  if (index === -1) return undefined;
  if (entries.slice(index + 1).some(isSearch)) throw invalid('tools: web search is declared twice');
  const found = safeParse(webSearchTool, entries[index]);
  if (found.success) return found.data;
  for (const issue of found.error.issues) issues.push({ ...issue, path: ['tools', index, ...issue.path] });
  return undefined;
}

function toWebSearch(
  { filters, user_location: location }: z.output<typeof webSearchTool>,
  maxToolCalls: number | null | undefined,
): WebSearch {
  return {
    maxSearches: Math.min(maxToolCalls ?? MAX_WEB_SEARCHES, MAX_WEB_SEARCHES),
    allowedDomains: filters?.allowed_domains ?? [],
    blockedDomains: filters?.blocked_domains ?? [],
    location: toLocation(location),
  };
}

/** Throws for an item that no other format can represent. */
function refusePassedItems(items: readonly InputItem[]): void {
  const at = items.findIndex((item) => isPassedItem(item) && !isSummary(item));
  if (at !== -1)
    throw invalid(`input[${at}].type: items of type ${items[at]!.type} are not supported by this model`);
}

/** Files are stored in the provider's one account that all callers share. */
function refuseFileIds(items: readonly (InputItem | ItemReference)[]): void {
  for (const [index, { content, output }] of (items as readonly Record<string, unknown>[]).entries()) {
    for (const [list, parts] of Object.entries({ content, output })) {
      if (!Array.isArray(parts)) continue;
      const at = parts.findIndex((part) => part.file_id != null);
      if (at !== -1) throw invalid(`input[${index}].${list}[${at}].file_id: files by id are not supported`);
    }
  }
}

/** An assistant may have said nothing, such as before it called a tool. */
function requireContent(items: readonly (InputItem | ItemReference)[]): void {
  for (const [index, item] of items.entries()) {
    // Some clients also send a role in items of other types.
    if ((item.type ?? 'message') !== 'message' || !('role' in item)) continue;
    if (item.role !== 'assistant' && isEmpty(item.content)) throw missingParameter(`input[${index}].content`);
  }
}

const NOT_STORED = 'responses are not stored: send the items themselves';

/** Fields that would change the reply in a way that the caller relies on. */
function refuseUnsupported(body: ResponsesBody, canStore: boolean): void {
  const refuse = (field: string, why: string) => {
    throw invalid(`${field}: ${why}`);
  };
  if (body.stream_options && !body.stream) refuse('stream_options', 'only allowed when stream is true');
  if (body.background) {
    if (!canStore) refuse('background', 'responses are not stored');
    if (body.store === false) refuse('background', 'only allowed when store is true');
    if (body.stream)
      refuse('stream', 'a response in the background is not streamed: poll GET /v1/responses/{id}');
  }
  if (body.store && !canStore) refuse('store', 'responses are not stored');
  if (body.previous_response_id != null && !canStore) refuse('previous_response_id', NOT_STORED);
  if (body.conversation != null)
    refuse('conversation', 'conversations are not stored: send the items themselves');
  if (body.prompt) refuse('prompt', 'stored prompts are not supported');
  if (body.moderation) refuse('moderation', 'not supported');
  if (!isEmpty(body.context_management)) refuse('context_management', 'not supported');
  if (body.top_logprobs) refuse('top_logprobs', 'not supported');
  for (const [index, value] of (body.include ?? []).entries()) {
    if (value !== ENCRYPTED_REASONING && !WITHOUT_EFFECT.has(value))
      refuse(`include[${index}]`, 'not supported');
  }
}

const invalid = (detail: string) => new GatewayError('invalid_request', { detail });
