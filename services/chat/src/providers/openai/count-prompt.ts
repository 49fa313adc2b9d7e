import { membersOf, textOf } from '@gateway/upstream';
import { TokenCounter } from '../../domain/token-count';

/** The parts of a chat completion request that are counted. */
export interface CountedRequest {
  readonly messages: readonly CountedMessage[];
  readonly tools?: readonly unknown[] | null;
  readonly functions?: readonly unknown[] | null;
  readonly response_format?: { readonly json_schema?: unknown } | null;
}

interface CountedMessage {
  readonly role: string;
  readonly name?: string | null;
  readonly content?: string | readonly CountedPart[] | null;
  readonly refusal?: unknown;
  readonly function_call?: unknown;
  readonly tool_calls?: readonly CountedCall[] | null;
}

interface CountedCall {
  readonly function?: unknown;
  readonly custom?: unknown;
}

interface CountedPart {
  readonly type: string;
  readonly text?: unknown;
  readonly refusal?: unknown;
  readonly image_url?: unknown;
  readonly file?: unknown;
  readonly input_audio?: unknown;
}

// OpenAI's published rule for chat prompts (its cookbook on counting tokens): every message is framed by three tokens, a name
// costs one more, and the reply is primed with three.
const MESSAGE_TOKENS = 3;
const NAME_TOKENS = 1;
const PRIMING_TOKENS = 3;
/** The minimum that OpenAI documents for an image; only the provider knows the tokens of larger ones. */
const MEDIA_PART_TOKENS = 85;

/** Counts the input tokens of a request without figures. */
export function countPrompt(body: CountedRequest, budgetMs?: number): TokenCounter {
  const counter = new TokenCounter(budgetMs);
  counter.addTokens(PRIMING_TOKENS);
  for (const message of body.messages) countMessage(message, counter);
  for (const tool of [...(body.tools ?? []), ...(body.functions ?? [])])
    counter.addText(JSON.stringify(tool));
  if (body.response_format?.json_schema) counter.addText(JSON.stringify(body.response_format.json_schema));
  return counter;
}

function countMessage(message: CountedMessage, counter: TokenCounter): void {
  counter.addTokens(MESSAGE_TOKENS);
  counter.addText(message.role);
  if (message.name) {
    counter.addTokens(NAME_TOKENS);
    counter.addText(message.name);
  }
  if (typeof message.content === 'string') counter.addText(message.content);
  else {
    for (const part of message.content ?? []) {
      if (part.type === 'text') counter.addText(String(part.text));
      else if (part.type === 'refusal') counter.addText(textOf(part.refusal));
      // Audio is counted by its duration.
      else if (part.type !== 'input_audio') counter.addTokens(MEDIA_PART_TOKENS);
    }
  }
  counter.addText(textOf(message.refusal));
  for (const call of [message.function_call, ...(message.tool_calls ?? []).map(calledOf)]) {
    const { name, arguments: given, input } = membersOf(call);
    for (const text of [name, given, input]) counter.addText(textOf(text));
  }
}

/** Of a function's or a custom tool's call. */
function calledOf({ function: called, custom }: CountedCall): unknown {
  return called ?? custom;
}

/** Maximum deviation of the rule above for a plain conversation. */
const MARGIN_TOKENS = 32;
const MARGIN_SHARE = 0.02;

/**
 * Returns the maximum input tokens of a request by its model's own encoding, far fewer than its bytes; undefined if the time
 * did not suffice. The encoding applies to plain text; everything else (tools and schemas, which the provider rewrites, calls,
 * unknown members) is bounded by its bytes.
 */
export function countBound({ messages, ...others }: CountedRequest, budgetMs: number): number | undefined {
  const counter = countPrompt({ messages: messages.map(plainWords) }, budgetMs);
  if (!counter.exact) return undefined;
  const counted = Math.ceil(counter.tokens * (1 + MARGIN_SHARE)) + MARGIN_TOKENS;
  return messages.reduce((bound, message) => bound + otherBytes(message), counted + jsonBytes(others));
}

function plainWords({ role, name, content }: CountedMessage): CountedMessage {
  return { role, ...(name != null && { name }), content: content ?? null };
}

function otherBytes({ role: _role, name: _name, content, ...others }: CountedMessage): number {
  const parts = Array.isArray(content) ? content : [];
  return parts.reduce((bytes, part) => bytes + jsonBytes(uncounted(part)), jsonBytes(others));
}

/** Members of a part other than its text; an image's URL, audio and a file have bounds of their own. */
function uncounted({ type, text, image_url, file, input_audio, ...others }: CountedPart): object {
  if (type === 'input_audio') {
    const { data: _data, ...about } = membersOf(input_audio);
    return { text, image_url, file, ...about, ...others };
  }
  if (type === 'text') return { image_url, file, ...others };
  if (type === 'file') {
    const { file_data: _data, ...about } = membersOf(file);
    return { text, image_url, ...about, ...others };
  }
  const { url: _url, ...image } = membersOf(image_url);
  return type === 'image_url' ? { text, file, ...image, ...others } : { text, image_url, file, ...others };
}

function jsonBytes(members: object): number {
  const there = Object.entries(members).filter(([, value]) => value !== undefined && value !== null);
  return there.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(Object.fromEntries(there)));
}
