import { DEFAULT_OPTIONS } from '../../domain/reply';
import type { TextRequest } from '../chat-protocol';
import { isObject, type Json } from '../json';
import { readContent } from './blocks';
import { CacheControls } from './cache-controls';
import { invalid } from './error';
import { integerAt, listAt, objectAt, oneOfAt, onlyFields, stringAt } from './fields';
import type { ApiHeaders } from './headers';
import { readOutputConfig } from './output-config';
import { readThinking } from './thinking';
import { readToolChoice, readTools } from './tools';
import { checkOpenTurnStartsWithThinking, readTurns, toPromptMessages } from './turns';
import { readMaxSearches } from './web-search';

export interface MessagesRequest extends TextRequest {
  /** Cache writes have a lifetime of an hour instead of five minutes. */
  readonly cacheHour: boolean;
}

const COUNT_FIELDS = [
  'messages',
  'model',
  'cache_control',
  'output_config',
  'speed',
  'system',
  'thinking',
  'tool_choice',
  'tools',
  'user_profile_id',
  'workspace_id',
];

const FIELDS = [
  ...COUNT_FIELDS,
  'max_tokens',
  'container',
  'diagnostics',
  'inference_geo',
  'metadata',
  'service_tier',
  'stop_sequences',
  'stream',
];

const SAMPLING_FIELDS = ['temperature', 'top_p', 'top_k'];

const BETA_FIELDS = [
  'billing_policy',
  'compaction',
  'context_management',
  'fallback_credit_token',
  'fallbacks',
  'mcp_servers',
  'output_format',
  'thread',
];

const METADATA_FIELDS = new Set(['user_id']);

/** @throws ProviderError for what the real API refuses */
export function parseMessagesRequest(value: unknown, headers: ApiHeaders): MessagesRequest {
  const body = readBody(value, FIELDS, headers);
  const maxTokens = integerAt(body.max_tokens, 'max_tokens', 1);
  checkSampling(body);
  checkOptions(body);
  const request = readCommon(body);
  return {
    ...request,
    stream: body.stream === true,
    options: { ...request.options, maxTokens, stopSequences: readStopSequences(body.stop_sequences) },
  };
}

/** @throws ProviderError */
export function parseCountRequest(value: unknown, headers: ApiHeaders): MessagesRequest {
  return readCommon(readBody(value, COUNT_FIELDS, headers));
}

function readBody(value: unknown, fields: readonly string[], { version, beta }: ApiHeaders): Json {
  if (!isObject(value)) throw invalid('The request body is not a JSON object.');
  const sampling = version === '2023-06-01' && fields === FIELDS ? SAMPLING_FIELDS : [];
  onlyFields(value, new Set([...fields, ...sampling, ...(beta ? BETA_FIELDS : [])]), '');
  return value;
}

function readCommon(body: Json): MessagesRequest {
  const model = stringAt(body.model, 'model');
  if (model === '') throw invalid('model: String should have at least 1 character');
  const cacheControls = new CacheControls();
  const tools = readTools(body.tools, cacheControls);
  const system = body.system === undefined ? [] : readContent(body.system, 'system', 'system', cacheControls);
  const turns = readTurns(body.messages, cacheControls);
  // It applies to the whole prompt, so it is added last.
  cacheControls.add(body.cache_control, 'body');
  const toolCall = readToolChoice(body.tool_choice, tools);
  const thinking = readThinking(body, toolCall);
  const mode = isObject(body.thinking) ? body.thinking.type : 'disabled';
  if (mode === 'enabled') checkOpenTurnStartsWithThinking(turns);
  if (mode === 'disabled') checkClearsNoThinking(body.context_management);
  const messages = turns.flatMap(toPromptMessages);
  const systemTurn = { role: 'system', index: -1, blocks: system } as const;
  return {
    model,
    stream: false,
    n: 1,
    prompt: {
      messages: system.length > 0 ? [...toPromptMessages(systemTurn), ...messages] : messages,
      tools,
    },
    options: {
      ...DEFAULT_OPTIONS,
      thinking,
      toolCall,
      maxSearches: readMaxSearches(tools),
      text: readOutputConfig(body.output_config),
    },
    cacheHour: cacheControls.hour,
  };
}

function checkClearsNoThinking(management: unknown): void {
  const edits = isObject(management) && Array.isArray(management.edits) ? management.edits : [];
  for (const edit of edits) {
    if (isObject(edit) && edit.type === 'clear_thinking_20251015')
      throw invalid('`clear_thinking_20251015` strategy requires `thinking` to be enabled or adaptive');
  }
}

function checkSampling(body: Json): void {
  for (const field of ['temperature', 'top_p']) {
    const value = body[field];
    if (value === undefined) continue;
    if (typeof value !== 'number') throw invalid(`${field}: Input should be a valid number`);
    if (value < 0 || value > 1) throw invalid(`${field}: range: 0..1`);
  }
  if (body.top_k !== undefined) integerAt(body.top_k, 'top_k', 0);
}

function checkOptions({ stream, metadata, service_tier }: Json): void {
  if (stream !== undefined && typeof stream !== 'boolean')
    throw invalid('stream: Input should be a valid boolean');
  if (metadata !== undefined) onlyFields(objectAt(metadata, 'metadata'), METADATA_FIELDS, 'metadata');
  if (service_tier !== undefined) oneOfAt(service_tier, ['auto', 'standard_only'], 'service_tier');
}

function readStopSequences(value: unknown): string[] {
  if (value === undefined) return [];
  return listAt(value, 'stop_sequences').map((stop, i) => {
    const text = stringAt(stop, `stop_sequences.${i}`);
    if (text.trim() === '') throw invalid('stop_sequences: each stop sequence must contain non-whitespace');
    return text;
  });
}
