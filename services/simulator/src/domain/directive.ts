import { z } from 'zod';
import { WeightedLru } from './lru';

const MAX_WAIT_MS = 600_000;
const MAX_TEXT_CHARS = 1_000_000;
const MAX_TOKENS = 1_000_000_000;
const MAX_CALLS = 16;
const MAX_ROUNDS = 16;
const MAX_IMAGES = 10;
const MAX_SEARCHES = 50;

export const MAX_CHUNKS = 100_000;

const waitMs = z.int().min(0).max(MAX_WAIT_MS);
const tokens = z.int().min(0).max(MAX_TOKENS);
const text = z.string().max(MAX_TEXT_CHARS);

const call = z.strictObject({
  name: z.string().min(1).max(128),
  arguments: z.union([text, z.record(z.string(), z.unknown())]).optional(),
});

// Strict, so that a misspelt directive is an error instead of a test that passes for the wrong reason.
const round = z.strictObject({
  status: z.int().min(200).max(599).optional(),
  error: z.union([text, z.record(z.string(), z.unknown())]).optional(),
  retry_after: z.int().min(0).max(86_400).optional(),
  delay_ms: waitMs.optional(),
  chunks: z.int().min(1).max(MAX_CHUNKS).optional(),
  chunk_delay_ms: waitMs.optional(),
  drop_after_chunks: z.int().min(0).max(MAX_CHUNKS).optional(),
  stream_error: z.union([z.literal(true), text, z.record(z.string(), z.unknown())]).optional(),
  reset: z.boolean().optional(),
  usage: z
    .strictObject({
      prompt_tokens: tokens.optional(),
      completion_tokens: tokens.optional(),
      cached_tokens: tokens.optional(),
      cache_write_tokens: tokens.optional(),
      reasoning_tokens: tokens.optional(),
    })
    .optional(),
  finish_reason: z.enum(['stop', 'length', 'tool_calls', 'content_filter']).optional(),
  text: text.optional(),
  tool_call: z.union([call, z.array(call).min(1).max(MAX_CALLS)]).optional(),
  thinking: text.optional(),
  searches: z.array(z.string().min(1).max(1_000)).max(MAX_SEARCHES).optional(),
  hide_thinking: z.boolean().optional(),
  omit_task_id: z.boolean().optional(),
  task_seconds: z.number().min(0).max(86_400).optional(),
  task_status: z.string().min(1).max(64).optional(),
  images: z.int().min(0).max(MAX_IMAGES).optional(),
  seconds: z.number().min(0).max(3_600).optional(),
  url_seconds: z.number().min(0).max(86_400).optional(),
  policy: z.boolean().optional(),
});

const schema = round.extend({ later: z.array(round).min(1).max(MAX_ROUNDS).optional() });

export type Directive = Readonly<z.infer<typeof schema>>;

export class DirectiveError extends Error {}

const NONE: Directive = {};
const OPENING = /\[\[sim(?=[\s{])\s*/g;
const parsed = new WeightedLru<Directive>(1_000_000);

/**
 * Returns the directive of a call: the last directive of the first text that contains any.
 * @param texts in order of precedence
 * @throws DirectiveError
 */
export function findDirective(texts: Iterable<string>): Directive {
  for (const candidate of texts) {
    if (!candidate.includes('[[sim')) continue;
    const source = lastDirectiveSource(candidate);
    if (source !== undefined) return parseDirective(source);
  }
  return NONE;
}

/**
 * Returns the part of a directive that applies to this call: itself, or one of its `later` after the model has answered.
 * @param rounds number of the model's messages since the user's last question
 */
export function directiveOfRound(directive: Directive, rounds: number): Directive {
  const { later = [], ...first } = directive;
  return rounds === 0 ? first : (later[rounds - 1] ?? later.at(-1) ?? first);
}

function lastDirectiveSource(candidate: string): string | undefined {
  let source: string | undefined;
  OPENING.lastIndex = 0;
  for (let match = OPENING.exec(candidate); match !== null; match = OPENING.exec(candidate)) {
    const start = OPENING.lastIndex;
    const end = endOfObject(candidate, start);
    if (end === undefined || !/^\s*\]\]/.test(candidate.slice(end, end + 64))) {
      throw new DirectiveError('a [[sim …]] directive holds one JSON object and ends with ]]');
    }
    source = candidate.slice(start, end);
    OPENING.lastIndex = end;
  }
  return source;
}

// Brackets inside the JSON can look like the end of the directive, so the object is scanned to its closing brace.
function endOfObject(candidate: string, start: number): number | undefined {
  if (candidate[start] !== '{') return undefined;
  let depth = 0;
  let inString = false;
  for (let i = start; i < candidate.length; i++) {
    const c = candidate[i];
    if (inString) {
      if (c === '\\') i++;
      else if (c === '"') inString = false;
    } else if (c === '"') inString = true;
    else if (c === '{') depth++;
    else if (c === '}' && --depth === 0) return i + 1;
  }
  return undefined;
}

function parseDirective(source: string): Directive {
  const known = parsed.get(source);
  if (known !== undefined) return known;
  let json: unknown;
  try {
    json = JSON.parse(source);
  } catch {
    throw new DirectiveError('a [[sim …]] directive is not valid JSON');
  }
  const result = schema.safeParse(json);
  if (!result.success) {
    const issue = result.error.issues[0];
    throw new DirectiveError(`directive ${issue?.path.join('.') || 'object'}: ${issue?.message}`);
  }
  parsed.add(source, result.data, source.length + 64);
  return result.data;
}
