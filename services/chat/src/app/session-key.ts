import { hash } from 'node:crypto';
import { isObject, listOf, membersOf, textOf } from '@gateway/upstream';
import type { CallerRequest } from '../domain/caller-request';

/** Providers cache prompts from about 1,024 tokens on. */
const MIN_BODY_BYTES = 4_096;
const MAX_NAME_CHARS = 256;
/** Of a longer text, its start, its end and its length are enough to recognize it. */
const MAX_SAMPLE_CHARS = 2_048;

/**
 * Returns a key for calls that share a long start of their prompt, so that they go where it is cached: calls with the same
 * `X-Session-Id` or `prompt_cache_key`, else with the same instructions, tools and first message of the user. Undefined if the
 * prompt is too short to be cached and nothing is spoken. Keys of different accounts differ.
 */
export function sessionKey(
  accountId: string,
  slug: string,
  headers: Readonly<Record<string, string>>,
  { parsed, size }: Pick<CallerRequest, 'parsed' | 'size'>,
): string | undefined {
  const named = headers['x-session-id'] || textOf(parsed.prompt_cache_key);
  if (named !== '' && named.length <= MAX_NAME_CHARS) return digest([accountId, slug, 'named', named]);
  // Only the credential that has spoken a reply knows it.
  const refersToAudio = size.speaks || (size.audio?.replies ?? 0) > 0;
  if (size.bodyBytes < MIN_BODY_BYTES && !refersToAudio) return undefined;
  return digest([accountId, slug, 'start', ...startOf(parsed)]);
}

const digest = (texts: readonly string[]): string => hash('sha1', JSON.stringify(texts), 'base64');

/** Returns samples of what precedes the first answer, in any caller's format. */
function* startOf({
  system,
  instructions,
  tools,
  messages,
  input,
  prompt,
}: CallerRequest['parsed']): Iterable<string> {
  yield* samplesOf(system ?? instructions);
  const names = listOf(tools).map((tool) => {
    const { name, function: declared } = membersOf(tool);
    return textOf(name ?? membersOf(declared).name);
  });
  yield sampleOf(names.join(' '));
  for (const text of [input, prompt]) if (typeof text === 'string') yield sampleOf(text);
  for (const message of listOf(messages ?? input)) {
    const { role, content } = membersOf(message);
    yield textOf(role);
    yield* samplesOf(content);
    if (role === 'user') return;
  }
}

function* samplesOf(content: unknown): Iterable<string> {
  if (!Array.isArray(content)) {
    yield sampleOf(textOf(content));
    return;
  }
  for (const part of content) {
    const text = isObject(part) ? part.text : part;
    // Files in base64 are sampled before they are copied.
    yield sampleOf(typeof text === 'string' ? text : JSON.stringify(part, sampleTexts));
  }
}

const sampleTexts = (_name: string, value: unknown): unknown =>
  typeof value === 'string' ? sampleOf(value) : value;

const sampleOf = (text: string): string =>
  text.length <= MAX_SAMPLE_CHARS
    ? text
    : `${text.slice(0, MAX_SAMPLE_CHARS / 2)}${text.length}${text.slice(-MAX_SAMPLE_CHARS / 2)}`;
