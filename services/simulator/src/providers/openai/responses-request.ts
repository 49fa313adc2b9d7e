import type { ToolCall } from '../../domain/prompt';
import { sign } from '../../domain/signer';
import type { TextRequest } from '../chat-protocol';
import { isObject, type Json } from '../json';
import { parseChatRequest } from './chat-request';
import { invalid, missing, wrongType } from './error';
import { OPENAI_QUIRKS, type Quirks } from './quirks';

/** A tool of the caller as a call names it. */
export interface DeclaredTool {
  readonly namespace: string | null;
  readonly isCustom: boolean;
}

export interface ResponsesRequest extends TextRequest {
  /** The body, which a response repeats in part. */
  readonly body: Json;
  readonly tools: ReadonlyMap<string, DeclaredTool>;
  /** The last item of the input asks for a compaction in the place of a reply. */
  readonly compacts: boolean;
  readonly includesEncrypted: boolean;
  readonly returnsSources: boolean;
  readonly serviceTier: string;
}

const FIELDS = new Set([
  ...['model', 'input', 'instructions', 'tools', 'tool_choice', 'parallel_tool_calls', 'include', 'stream'],
  ...['max_output_tokens', 'max_tool_calls', 'reasoning', 'text', 'temperature', 'top_p', 'top_logprobs'],
  ...['stream_options', 'truncation', 'metadata', 'user', 'safety_identifier', 'prompt_cache_key'],
  ...['prompt_cache_options', 'prompt_cache_retention', 'service_tier', 'store', 'background'],
  ...['previous_response_id', 'conversation', 'prompt', 'context_management', 'moderation'],
]);
const COMPACTION_FIELDS = new Set([
  ...['model', 'input', 'instructions', 'previous_response_id', 'service_tier'],
  ...['prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention'],
]);
/** xAI refuses instructions, and bounds its own tools by turns (docs.x.ai). */
const XAI_REFUSED = new Set(['instructions', 'max_tool_calls', 'safety_identifier']);
const SEARCH = /^web_search(_preview)?(_\d{4}_\d{2}_\d{2})?$/;
const MAX_SEARCHES = 10;

/** @throws ProviderError for what the real API refuses */
export function parseResponsesRequest(body: unknown, quirks: Quirks = OPENAI_QUIRKS): ResponsesRequest {
  if (!isObject(body)) throw invalid('We could not parse the JSON body of your request as an object.');
  const isXai = quirks.separateReasoning;
  const unknown = Object.keys(body).find((field) =>
    isXai ? XAI_REFUSED.has(field) || !(FIELDS.has(field) || field === 'max_turns') : !FIELDS.has(field),
  );
  if (unknown) throw invalid(`Unknown parameter: '${unknown}'.`, unknown, 'unknown_parameter');
  if (body.previous_response_id != null)
    throw invalid(`Previous response with id '${body.previous_response_id}' not found.`);
  if (body.input === undefined) throw missing('input');
  const items = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : body.input;
  if (!Array.isArray(items)) throw wrongType('input', 'a string or an array');
  const trigger = items.findIndex((item) => isObject(item) && item.type === 'compaction_trigger');
  const compacts = trigger !== -1;
  if (compacts && (trigger < items.length - 1 || isXai))
    throw invalid("The 'compaction_trigger' item must be the final input item.", `input[${trigger}]`);
  const tools = readTools(body.tools ?? []);
  const { instructions, text, tool_choice: choice } = body;
  const chat = parseChatRequest(
    {
      model: body.model,
      messages: [
        ...(typeof instructions === 'string' ? [{ role: 'system', content: instructions }] : []),
        ...items.flatMap(toMessages).reduce<Json[]>(withJoinedCalls, []),
      ],
      tools: tools.functions,
      tool_choice: toChatChoice(choice),
      ...(isObject(text) && isObject(text.format) && { response_format: toChatFormat(text.format) }),
      ...(body.max_output_tokens != null && { max_completion_tokens: body.max_output_tokens }),
      service_tier: body.service_tier,
    },
    quirks,
  );
  const { max_tool_calls: most } = body;
  const includes = (name: string) => Array.isArray(body.include) && body.include.includes(name);
  return {
    model: chat.model,
    stream: body.stream === true,
    prompt: chat.prompt,
    n: 1,
    options: {
      ...chat.options,
      maxSearches: tools.searches ? (typeof most === 'number' ? most : MAX_SEARCHES) : 0,
    },
    body,
    tools: tools.declared,
    compacts,
    includesEncrypted: includes('reasoning.encrypted_content'),
    returnsSources: includes('web_search_call.action.sources'),
    serviceTier: chat.serviceTier,
  };
}

/** Parses the body of a compaction. @throws ProviderError for what the real API refuses */
export function parseCompaction(body: unknown, quirks: Quirks): ResponsesRequest {
  const unknown = isObject(body) && Object.keys(body).find((field) => !COMPACTION_FIELDS.has(field));
  if (unknown) throw invalid(`Unknown parameter: '${unknown}'.`, unknown, 'unknown_parameter');
  return parseResponsesRequest(body, quirks);
}

interface Tools {
  readonly functions: Json[];
  readonly declared: Map<string, DeclaredTool>;
  readonly searches: boolean;
}

function readTools(value: unknown): Tools {
  if (!Array.isArray(value)) throw wrongType('tools', 'an array');
  const tools: Tools = { functions: [], declared: new Map(), searches: false };
  let searches = false;
  const add = (tool: Json, namespace: string | null, at: string) => {
    if (typeof tool.name !== 'string' || tool.name === '') throw missing(`${at}.name`);
    const { type: _type, name, ...about } = tool;
    tools.functions.push({ type: 'function', function: { name, ...about } });
    tools.declared.set(name, { namespace, isCustom: tool.type === 'custom' });
  };
  for (const [index, tool] of value.filter(isObject).entries()) {
    const at = `tools[${index}]`;
    if (tool.type === 'function' || tool.type === 'custom') add(tool, null, at);
    else if (tool.type === 'namespace' && Array.isArray(tool.tools))
      for (const inner of tool.tools.filter(isObject)) add(inner, String(tool.name), `${at}.tools`);
    else if (SEARCH.test(String(tool.type))) searches = true;
    else throw invalid(`Invalid value: '${tool.type}'.`, `${at}.type`, 'invalid_value');
  }
  return { ...tools, searches };
}

/** As a name in chat completions. */
function toChatChoice(choice: unknown): unknown {
  if (!isObject(choice)) return choice;
  const named = ({ name }: Json) => ({ type: 'function', function: { name } });
  if (choice.type !== 'allowed_tools') return named(choice);
  const tools = Array.isArray(choice.tools) ? choice.tools.filter(isObject).map(named) : [];
  return { type: 'allowed_tools', allowed_tools: { mode: choice.mode, tools } };
}

const toChatFormat = ({ type, ...schema }: Json): Json => ({
  type,
  ...(type === 'json_schema' && { json_schema: schema }),
});

/** An item as chat messages; none for those that say nothing. */
function toMessages(item: unknown, index: number): Json[] {
  const at = `input[${index}]`;
  if (!isObject(item)) throw wrongType(at, 'an object');
  switch (item.type) {
    case undefined:
    case 'message':
      return [{ role: item.role, content: toContent(item.content, at) }];
    case 'function_call':
    case 'custom_tool_call':
      return [{ role: 'assistant', content: null, tool_calls: [{ function: calledBy(item) }] }];
    case 'function_call_output':
    case 'custom_tool_call_output':
      if (typeof item.call_id !== 'string') throw missing(`${at}.call_id`);
      return [{ role: 'tool', tool_call_id: item.call_id, content: toContent(item.output, at) }];
    case 'reasoning':
      checkEncrypted(item, at, 'reasoning');
      return [];
    case 'compaction':
      checkEncrypted(item, at, 'compaction');
      return [];
    case 'compaction_trigger':
    case 'web_search_call':
      return [];
    default:
      throw invalid(`Invalid value: '${item.type}'.`, `${at}.type`, 'invalid_value');
  }
}

/** A text and the calls after it are one message of the assistant. */
function withJoinedCalls(messages: Json[], message: Json): Json[] {
  const last = messages.at(-1);
  if (!Array.isArray(message.tool_calls) || last?.role !== 'assistant') return [...messages, message];
  const calls = Array.isArray(last.tool_calls) ? last.tool_calls : [];
  return [...messages.slice(0, -1), { ...last, tool_calls: [...calls, ...message.tool_calls] }];
}

const calledBy = ({ name, arguments: args, input }: Json): ToolCall => ({
  name: String(name),
  arguments: String(args ?? input ?? ''),
});

const PARTS: Readonly<Record<string, string>> = {
  input_text: 'text',
  output_text: 'text',
  refusal: 'refusal',
  input_image: 'image_url',
  input_file: 'file',
};

function toContent(content: unknown, at: string): unknown {
  if (!Array.isArray(content)) return content;
  return content.filter(isObject).map((part) => {
    const type = PARTS[String(part.type)];
    if (!type) throw invalid(`Invalid value: '${part.type}'.`, `${at}.content`, 'invalid_value');
    return { ...part, type };
  });
}

/** Nothing is stored, so such an item needs its content, which is tied to its id. */
function checkEncrypted(
  { id, encrypted_content: content }: Json,
  at: string,
  kind: 'compaction' | 'reasoning',
): void {
  if (typeof content !== 'string')
    throw invalid(
      `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false.`,
      at,
    );
  if (content !== sign(kind, String(id)))
    throw invalid(
      `The encrypted content for item ${id} could not be verified.`,
      at,
      'invalid_encrypted_content',
    );
}
