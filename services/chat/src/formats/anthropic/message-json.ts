import { decimalFromNano } from '@gateway/money';
import type { ReplyIdentity } from '../../domain/caller-request';
import { type Citation, type Signature, WEB_SEARCH, type WebSearchPart } from '../../domain/conversation';
import { STOP_REASONS } from '../../domain/finish-reasons';
import type { StopReason } from '../../domain/reply';
import { tagSignature } from '../../domain/signature-tag';
import { fitToolId } from '../../domain/tool-ids';
import { type BilledUsage, cacheWritesOf, type TokenUsage } from '../../domain/usage';
import { exactUsd } from '../../json/exact-json';
import { FOREIGN_SEARCH } from './foreign-searches';

/** Returns the members of a message that precede its content, without the closing brace. */
export function messageHead({ requestId, model }: ReplyIdentity): string {
  return `{"id":"msg_${requestId}","type":"message","role":"assistant","model":${JSON.stringify(model)},"container":null,"diagnostics":null`;
}

export interface Stop {
  readonly stop: StopReason;
  readonly stopSequence?: string;
}

/** Returns the stop reason as members of an object. */
export function stopMembers({ stop, stopSequence }: Stop): string {
  const details = stop === 'refusal' ? '{"type":"refusal","category":null,"explanation":null}' : 'null';
  const sequence = stopSequence === undefined ? 'null' : JSON.stringify(stopSequence);
  return `"stop_reason":"${STOP_REASONS[stop]}","stop_sequence":${sequence},"stop_details":${details}`;
}

/** The stop reason at the start of a stream. */
export const NO_STOP = '"stop_reason":null,"stop_sequence":null,"stop_details":null';

/** Returns the complete usage of a message. The cost is known at its end. */
export function usageJson(usage: TokenUsage & Partial<BilledUsage>): string {
  const long = usage.cache_write_1h ?? 0;
  const creation = `{"ephemeral_5m_input_tokens":${usage.cache_write},"ephemeral_1h_input_tokens":${long}}`;
  return `{${countMembers(usage)},"cache_creation":${creation},"service_tier":"standard","inference_geo":null,"speed":null${costMember(usage)}}`;
}

/** Returns the usage at the end of a stream, which replaces the one at its start. */
export function finalUsageJson(usage: BilledUsage): string {
  return `{${countMembers(usage)}${costMember(usage)}}`;
}

/** Returns the same as an object. */
export const writeUsage = ({ costNano, ...usage }: BilledUsage): object => ({
  ...JSON.parse(`{${countMembers(usage)}}`),
  cost: exactUsd(costNano),
});

const costMember = ({ costNano }: Partial<BilledUsage>): string =>
  costNano === undefined ? '' : `,"cost":${decimalFromNano(costNano)}`;

/** The three kinds of input do not overlap, and output includes thinking. */
function countMembers(usage: TokenUsage): string {
  const written = cacheWritesOf(usage);
  return (
    `"input_tokens":${usage.input},"cache_creation_input_tokens":${written}` +
    `,"cache_read_input_tokens":${usage.cache_read},"output_tokens":${usage.output}` +
    `,"output_tokens_details":{"thinking_tokens":${usage.reasoning}},"server_tool_use":${serverToolUse(usage)}`
  );
}

function serverToolUse({ units }: TokenUsage): string {
  const searches = units?.web_search ?? 0;
  return searches === 0 ? 'null' : `{"web_search_requests":${searches},"web_fetch_requests":0}`;
}

/**
 * Without `citations` if there are none: the official SDK's types allow null, Vercel's SDK refuses it.
 * @param text as JSON
 */
export function textBlock(text: string, citations: readonly Citation[] = []): string {
  const cited = citations.length === 0 ? '' : `,"citations":[${citations.map(citationJson).join(',')}]`;
  return `{"type":"text","text":${text}${cited}}`;
}

/** The index of a page that Anthropic did not find is empty. */
export const citationJson = ({ url, title, quote, cited }: Citation): string =>
  JSON.stringify({
    type: 'web_search_result_location',
    cited_text: (quote || cited).slice(0, MAX_CITED_CHARS),
    encrypted_index: '',
    title,
    url,
  });

/** Of a quotation in Anthropic's API. */
const MAX_CITED_CHARS = 150;

const searchId = ({ id }: WebSearchPart): string => `${FOREIGN_SEARCH}${fitToolId(id)}`;
/** The input of a search, as JSON. */
export const searchInput = ({ query }: WebSearchPart): string => JSON.stringify({ query });

/** @param input as JSON */
export const searchBlock = (search: WebSearchPart, input: string): string =>
  `{"type":"server_tool_use","id":"${searchId(search)}","name":"${WEB_SEARCH}","input":${input},"caller":{"type":"direct"}}`;

/** Only Anthropic reads the encrypted content of its results. */
export const searchResultBlock = (search: WebSearchPart): string =>
  JSON.stringify({
    type: 'web_search_tool_result',
    tool_use_id: searchId(search),
    content: search.results.map(({ url, title }) => ({
      type: 'web_search_result',
      url,
      title,
      encrypted_content: '',
      page_age: null,
    })),
    caller: { type: 'direct' },
  });

/** @param text as JSON @param signature not encoded */
export function thinkingBlock(text: string, signature: string): string {
  return `{"type":"thinking","thinking":${text},"signature":${JSON.stringify(signature)}}`;
}

export function redactedThinkingBlock(data: Signature): string {
  return `{"type":"redacted_thinking","data":${JSON.stringify(writeSignature(data))}}`;
}

/** @param input as JSON */
export function toolUseBlock(id: string, name: string, input: string): string {
  return `{"type":"tool_use","id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"input":${input},"caller":{"type":"direct"}}`;
}

/**
 * Returns a signature for this format: Anthropic's own unchanged, others' tagged. The format has no thinking without a
 * signature, so thinking of a provider that does not sign gets a tag without a value.
 */
export function writeSignature(signature: Signature = { wire: 'openai', value: '' }): string {
  return signature.wire === 'anthropic' ? signature.value : tagSignature(signature);
}
