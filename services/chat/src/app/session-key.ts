import { hash } from 'node:crypto';
import { isObject, listOf, membersOf, textOf } from '@gateway/upstream';
import { withoutBillingLine } from '../domain/billing-line';
import type { CallerRequest } from '../domain/caller-request';

/** Providers cache prompts from about 1,024 tokens on. */
const MIN_BODY_BYTES = 4_096;
const MAX_NAME_CHARS = 256;
/** Of a longer text, its start, its end and its length are enough to recognize it. */
const MAX_SAMPLE_CHARS = 2_048;

/**
 * Headers that name a session, the first one present: our own; Claude Code's; Codex' of today and until version 0.130
 * (openai/codex#22193); gemini-cli's, which names the installation, whose sessions share their instructions and tools.
 */
const SESSION_HEADERS = [
  'x-session-id',
  'x-claude-code-session-id',
  'session-id',
  'session_id',
  'x-gemini-api-privileged-user-id',
];

/**
 * Returns a key for calls that share a long start of their prompt, so that they go where it is cached: calls with the same name of
 * their session, else with the same instructions, tools and first message of the user. Undefined if the prompt is too short to be
 * cached and nothing is spoken. Keys of different accounts differ.
 */
export function sessionKey(
  accountId: string,
  slug: string,
  headers: Readonly<Record<string, string>>,
  { parsed, size }: Pick<CallerRequest, 'parsed' | 'size'>,
): string | undefined {
  const name = sessionName(headers, parsed);
  if (name !== undefined) return digest([accountId, slug, 'named', name]);
  // Only the credential that has spoken a reply knows it.
  const refersToAudio = size.speaks || (size.audio?.replies ?? 0) > 0;
  if (size.bodyBytes < MIN_BODY_BYTES && !refersToAudio) return undefined;
  return digest([accountId, slug, 'start', ...startOf(parsed)]);
}

/** Agents in Anthropic's format name their session in the id of the user. */
function sessionName(
  headers: Readonly<Record<string, string>>,
  { metadata, prompt_cache_key: cacheKey }: CallerRequest['parsed'],
): string | undefined {
  const names = [
    ...SESSION_HEADERS.map((header) => headers[header] ?? ''),
    textOf(membersOf(metadata).user_id),
    textOf(cacheKey),
  ];
  return names.find((name) => name !== '' && name.length <= MAX_NAME_CHARS);
}

const digest = (texts: readonly string[]): string => hash('sha1', JSON.stringify(texts), 'base64');

/** Returns samples of what precedes the first answer, in any caller's format. */
function* startOf({
  system,
  instructions,
  systemInstruction,
  system_instruction: instruction = systemInstruction,
  tools,
  messages,
  input,
  prompt,
  contents,
}: CallerRequest['parsed']): Iterable<string> {
  yield* samplesOf(withoutBillingLine(system) ?? instructions ?? membersOf(instruction).parts ?? instruction);
  yield sampleOf(listOf(tools).flatMap(namesOf).join(' '));
  for (const text of [input, prompt, contents]) if (typeof text === 'string') yield sampleOf(text);
  for (const message of listOf(messages ?? contents ?? input)) {
    const { role = contents && 'user', content, parts } = membersOf(message);
    yield textOf(role);
    yield* samplesOf(content ?? parts);
    if (role === 'user') return;
  }
}

/** Returns the names of a tool, of which Google's format has several. */
function namesOf(tool: unknown): readonly string[] {
  const { name, function: declared, functionDeclarations, function_declarations } = membersOf(tool);
  const functions = listOf(functionDeclarations ?? function_declarations);
  if (functions.length > 0) return functions.map((each) => textOf(membersOf(each).name));
  return [textOf(name ?? membersOf(declared).name)];
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
