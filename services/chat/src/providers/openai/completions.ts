import { GatewayError } from '@gateway/errors';
import type { Quota } from '@gateway/quota';
import { isObject, type JsonObject, listOf, membersOf, textOf } from '@gateway/upstream';
import type { CompletionsApi, OpeningEvent } from '../../domain/chat-provider';
import { withoutCosts } from '../../domain/operators-costs';
import { TokenCounter } from '../../domain/token-count';
import { parseExactData } from '../../sse/sse-data';
import { ModelNameRewriter } from '../model-name-rewriter';
import { choicesOf } from './chunk-text';
import { PassThroughChunks } from './pass-through-chunks';
import type { CompletionQuirks, OpenAiQuirks } from './quirks';
import { agreedFinishReason, assertNotFailed, isFinishReason, readContentPart } from './reply-json';

interface CompletionsAccount {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly quirks: OpenAiQuirks;
  readonly completions: CompletionQuirks;
  readonly bufferQuota: Quota;
}

/** Values of fields that ask for nothing. Others do so with null only. */
const NEUTRAL: Readonly<Record<string, unknown>> = {
  n: 1,
  best_of: 1,
  echo: false,
  presence_penalty: 0,
  frequency_penalty: 0,
};

/** A provider's API of text completions, which `completions` describes. */
export function completionsApi(account: CompletionsAccount): CompletionsApi {
  const { baseUrl, headers, quirks, completions, bufferQuota } = account;
  const url = new URL(`${baseUrl}${completions.path}`);
  const { repliesAsChat } = completions;
  const streamQuirks = { ...quirks, thinkTags: false };
  return {
    wire: 'completions',
    maxTokensField: 'max_tokens',
    address: () => ({ url, headers }),
    passThroughMembers: (body) => completionMembers(body, quirks, completions),
    isReply: ({ choices }) => {
      const { text, message } = membersOf(listOf(choices)[0]);
      return repliesAsChat ? isObject(message) : typeof text === 'string';
    },
    passReply({ bytes, value }, model) {
      const shown = withAgreedFinish(withoutCosts(repliesAsChat ? fromChat(value, 'message') : value));
      return shown === value
        ? new ModelNameRewriter(model).inReply(bytes)
        : Buffer.from(JSON.stringify({ ...shown, model }));
    },
    readOpening,
    passStream: (options) =>
      new PassThroughChunks({
        ...{ ...options, quirks: streamQuirks, bufferQuota },
        ...(repliesAsChat && { repair: { repaired: repairedChunk } }),
      }),
    boundInput: undefined,
    countInput: (body) => countPrompts(JSON.parse(body.toString('utf8'))),
    countReply,
  };
}

/** @throws GatewayError `invalid_request` for a field that the provider does not know and the caller would miss */
function completionMembers(
  body: JsonObject,
  { refusedHints, seedField }: OpenAiQuirks,
  { onlyText, unsupported }: CompletionQuirks,
): Map<string, string | undefined> {
  if (onlyText && typeof body.prompt !== 'string')
    throw new GatewayError('invalid_request', { detail: 'prompt: this model takes one text' });
  const members = new Map<string, string | undefined>();
  for (const field of unsupported) {
    const value = body[field];
    if (value === undefined) continue;
    if (value !== null && value !== NEUTRAL[field])
      throw new GatewayError('invalid_request', { detail: `${field}: not supported by this model` });
    members.set(field, undefined);
  }
  for (const field of refusedHints) members.set(field, undefined);
  if (seedField !== 'seed' && 'seed' in body) {
    members.set('seed', undefined);
    if (typeof body.seed === 'number') members.set(seedField, String(body.seed));
  }
  return members;
}

/** @throws Error when the provider ends the reply with a failure */
function readOpening(chunk: JsonObject): OpeningEvent {
  let isFinished = false;
  for (const choice of choicesOf(chunk)) {
    if (textOf(choice.text) !== '' || contentOf(choice.delta) !== '') return 'content';
    assertNotFailed(choice.finish_reason);
    isFinished ||= isFinishReason(choice.finish_reason);
  }
  return isFinished ? 'finished' : 'waiting';
}

/** Returns a chat completion, or a chunk of one, as a text completion. @param holder of the content */
function fromChat(reply: JsonObject, holder: 'message' | 'delta'): JsonObject {
  const choices = choicesOf(reply).map(({ index, finish_reason, [holder]: content }) => ({
    index,
    text: contentOf(content),
    logprobs: null,
    finish_reason: finish_reason ?? null,
  }));
  return { ...reply, object: 'text_completion', choices };
}

/**
 * Returns a complete reply with finish reasons in the format's words; the same one if it has them.
 * @throws Error when the provider ended the reply with a failure
 */
function withAgreedFinish(reply: JsonObject): JsonObject {
  const received = choicesOf(reply);
  const choices = received.map((choice) => {
    const finish_reason = agreedFinishReason(choice.finish_reason, 0, false);
    return finish_reason === choice.finish_reason ? choice : { ...choice, finish_reason };
  });
  return choices.every((choice, at) => choice === received[at]) ? reply : { ...reply, choices };
}

function repairedChunk(event: Buffer): Buffer {
  const chunk = parseExactData(event);
  if (!chunk?.choices) return event;
  return Buffer.from(`data: ${JSON.stringify(fromChat(chunk, 'delta'))}\n\n`);
}

function contentOf(message: unknown): string {
  const { content } = membersOf(message);
  if (!Array.isArray(content)) return textOf(content);
  return content.map((part) => readContentPart(membersOf(part)).text).join('');
}

function countPrompts({ prompt, suffix }: JsonObject): number {
  const counter = new TokenCounter();
  for (const one of [suffix, ...(isTokens(prompt) ? [prompt] : [prompt].flat(1))]) {
    if (isTokens(one)) counter.addTokens(one.length);
    else counter.addText(textOf(one));
  }
  return counter.tokens;
}

const isTokens = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && typeof value[0] === 'number';

function countReply(reply: JsonObject): number {
  const counter = new TokenCounter();
  for (const { text, message } of choicesOf(reply)) counter.addText(textOf(text) + contentOf(message));
  return counter.tokens;
}
