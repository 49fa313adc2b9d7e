import { textPrompt } from '../../domain/prompt';
import { NO_USAGE } from '../../domain/usage';
import type { Call } from '../../http/call';
import { handleMetered, type ParsedRequest, readJson, sendJsonReply } from '../handle-call';
import { isObject } from '../json';
import { isModelName } from '../model-name';
import type { ProviderProtocol } from '../protocol';
import type { ProviderDeps } from '../provider';
import { invalid, missing, wrongType } from './error';
import type { Quirks } from './quirks';

interface ModerationRequest extends ParsedRequest {
  /** Texts of each result. */
  readonly inputs: readonly (readonly string[])[];
  readonly images: number;
}

/** Words that are flagged, by category. */
const WORDS: Readonly<Record<string, RegExp>> = { violence: /\bkill\b/i, harassment: /\bidiot\b/i };
/** OpenAI's categories that nothing is flagged for (openai-node 7.55, `Moderation`). */
const QUIET_CATEGORIES = [
  ...['harassment/threatening', 'hate', 'hate/threatening', 'illicit', 'illicit/violent', 'self-harm'],
  ...['self-harm/instructions', 'self-harm/intent', 'sexual', 'sexual/minors', 'violence/graphic'],
];
const IMAGE_TOKENS = 85;

/** Handles a moderation. Mistral's has fewer members, and reports its usage. */
export function handleModeration(
  call: Call,
  deps: ProviderDeps,
  protocol: ProviderProtocol,
  { mistralFormat }: Quirks,
): Promise<void> {
  const read = () => readJson(call, deps, protocol, (body) => parseModeration(body, mistralFormat));
  return handleMetered(call, deps, protocol, read, (exchange) => {
    const { request, directive, identity } = exchange;
    const counted = request.inputs.flat().reduce((sum, text) => sum + deps.tokenizer.count(text), 0);
    const promptTokens = directive.usage?.prompt_tokens ?? counted + request.images * IMAGE_TOKENS;
    const results = request.inputs.map((texts) => resultOf(texts.join('\n'), mistralFormat));
    const usage = { prompt_tokens: promptTokens, completion_tokens: 0, total_tokens: promptTokens };
    const body = {
      id: `modr-${identity.id}`,
      model: request.model,
      results,
      ...(mistralFormat && { usage }),
    };
    return sendJsonReply(exchange, body, results.length, { usage: { ...NO_USAGE, promptTokens } });
  });
}

function parseModeration(body: unknown, onlyTexts: boolean): ModerationRequest {
  if (!isObject(body)) throw invalid('Invalid body: expected an object.');
  const { model, input, ...others } = body;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw invalid(`Unrecognized request argument supplied: ${unknown}`, unknown);
  if (!isModelName(model)) throw missing('model');
  const list: unknown = typeof input === 'string' ? [input] : input;
  if (!Array.isArray(list) || list.length === 0) throw wrongType('input', 'a string or an array');
  if (list.every((one) => typeof one === 'string')) {
    const inputs = list.map((text) => [text]);
    return { model, stream: false, prompt: textPrompt(list.join('\n')), inputs, images: 0 };
  }
  if (onlyTexts || !list.every(isPart)) throw wrongType('input', 'a string or an array');
  const texts = list.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const images = list.length - texts.length;
  return { model, stream: false, prompt: textPrompt(texts.join('\n')), inputs: [texts], images };
}

const isPart = (part: unknown): part is { type: string; text: string } =>
  isObject(part) &&
  (part.type === 'text'
    ? typeof part.text === 'string'
    : part.type === 'image_url' && isObject(part.image_url) && typeof part.image_url.url === 'string');

function resultOf(text: string, mistralFormat: boolean) {
  const quiet = mistralFormat ? [] : QUIET_CATEGORIES.map((category) => [category, false] as const);
  const flags = Object.entries(WORDS).map(([category, words]) => [category, words.test(text)] as const);
  const hits = [...flags, ...quiet];
  const categories = Object.fromEntries(hits);
  return {
    ...(!mistralFormat && {
      flagged: hits.some(([, hit]) => hit),
      category_applied_input_types: Object.fromEntries(hits.map(([category]) => [category, ['text']])),
    }),
    categories,
    category_scores: Object.fromEntries(hits.map(([category, hit]) => [category, hit ? 0.98 : 0.01])),
  };
}
