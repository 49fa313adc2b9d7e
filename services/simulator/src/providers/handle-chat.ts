import type { Directive } from '../domain/directive';
import type { CallOutcome } from '../domain/meter';
import { audioTokensOf, countPrompt, type Prompt, type PromptMessage, roundsOf } from '../domain/prompt';
import type { Reply, ReplyOptions } from '../domain/reply';
import { withSpeech } from '../domain/spoken-reply';
import { usageOf } from '../domain/usage';
import type { Call } from '../http/call';
import { writeStream } from '../http/write-stream';
import type { ChatProtocol, ParseBody, TextRequest } from './chat-protocol';
import {
  type Exchange,
  handleMetered,
  handleUnmetered,
  readJson,
  sendJsonReply,
  statusOf,
} from './handle-call';
import type { ProviderDeps } from './provider';

type ChatExchange<R extends TextRequest> = Exchange<R, ChatProtocol<R>>;

/** A demo's client would go on for ever, where a model would end the loop. */
const MAX_TOOL_ROUNDS = 20;
const LOOP_END = `The simulator ends a loop of tool calls after ${MAX_TOOL_ROUNDS} rounds.`;

const BLOCKED: Directive = { text: '', finish_reason: 'content_filter' };

/** Handles a call for text. */
export function handleChat<R extends TextRequest>(
  call: Call,
  deps: ProviderDeps,
  protocol: ChatProtocol<R>,
  parse: ParseBody<R>,
): Promise<void> {
  return handleMetered(call, deps, protocol, () => readJson(call, deps, protocol, parse), answerChat);
}

/** Handles a call that counts the tokens of a prompt. */
export function handleTokenCount<R extends TextRequest>(
  call: Call,
  deps: ProviderDeps,
  protocol: ChatProtocol<R>,
  parse: ParseBody<R>,
  toBody: (tokens: number) => unknown,
): Promise<void> {
  const read = () => readJson(call, deps, protocol, parse);
  return handleUnmetered(call, deps, protocol, read, ({ directive, request }) =>
    toBody(directive.usage?.prompt_tokens ?? countPrompt(request.prompt, deps.tokenizer)),
  );
}

export function answerChat<R extends TextRequest>(
  exchange: ChatExchange<R>,
): CallOutcome | Promise<CallOutcome> {
  const { deps, directive, request, protocol } = exchange;
  const blocked = directive.policy === true;
  const reply = blocked
    ? deps.replies.write(BLOCKED, request.options)
    : deps.replies.write(...withinRounds(request.prompt, directive, request.options));
  const promptTokens = request.promptTokens?.(deps.tokenizer) ?? countPrompt(request.prompt, deps.tokenizer);
  const audioPromptTokens = audioTokensOf(request.prompt);
  const charge = (sent: number) => {
    const delivery = { reply, n: request.n, sent };
    const counted = { ...usageOf(delivery, promptTokens, directive, deps.tokenizer), audioPromptTokens };
    const usage = request.spoken ? withSpeech(counted, delivery, request.spoken) : counted;
    return protocol.reportsCacheWrites ? usage : { ...usage, cacheWriteTokens: 0 };
  };
  return request.stream
    ? streamReply(exchange, reply, charge, blocked)
    : sendReply(exchange, reply, charge, blocked);
}

/** Returns the directive and the options without tool calls after too many rounds of them. */
function withinRounds(
  prompt: Prompt,
  directive: Directive,
  options: ReplyOptions,
): [Directive, ReplyOptions] {
  const calls = directive.tool_call !== undefined || options.toolCall !== null;
  const isEndless = calls && roundsOf(prompt).filter(callsTools).length >= MAX_TOOL_ROUNDS;
  if (!isEndless) return [directive, options];
  const { tool_call: _, ...others } = directive;
  return [
    { ...others, text: directive.text ?? LOOP_END },
    { ...options, toolCall: null },
  ];
}

const callsTools = ({ toolCalls }: PromptMessage): boolean => toolCalls.length > 0;

type Charge = (sent: number) => CallOutcome['usage'];

function sendReply<R extends TextRequest>(
  exchange: ChatExchange<R>,
  reply: Reply,
  charge: Charge,
  blocked: boolean,
): CallOutcome {
  const { protocol, request, identity } = exchange;
  const sent = reply.pieces.length * request.n;
  const usage = charge(sent);
  return sendJsonReply(exchange, protocol.toBody({ request, identity, reply, usage, blocked }), sent, {
    usage,
  });
}

async function streamReply<R extends TextRequest>(
  exchange: ChatExchange<R>,
  reply: Reply,
  charge: Charge,
  blocked: boolean,
): Promise<CallOutcome> {
  const { call, protocol, request, directive, identity } = exchange;
  const status = statusOf(directive);
  const all = charge(reply.pieces.length * request.n);
  const { frames, reportedUsage = charge } = protocol.toStream({
    request,
    identity,
    reply,
    usage: all,
    blocked,
  });
  call.res.writeHead(status, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'transfer-encoding': 'chunked',
    ...protocol.headers(identity.id),
  });
  const failure = streamFailure(exchange);
  const { sent, end } = await writeStream(call, frames, {
    chunkDelayMs: directive.chunk_delay_ms ?? 0,
    dropAfter:
      directive.drop_after_chunks ?? (failure === undefined ? Number.POSITIVE_INFINITY : frames.count),
    ...(failure === undefined ? {} : { failure }),
  });
  const usage = end === 'finished' ? all : reportedUsage(sent);
  return { status, usage, finished: end === 'finished', aborted: end === 'aborted' };
}

function streamFailure<R extends TextRequest>({
  protocol,
  directive,
  identity,
}: ChatExchange<R>): string | undefined {
  const { stream_error } = directive;
  if (stream_error === undefined) return undefined;
  if (typeof stream_error === 'object') return protocol.toErrorFrame(stream_error);
  const message = typeof stream_error === 'string' ? stream_error : undefined;
  return protocol.toErrorFrame(
    protocol.errorOfStatus(protocol.overloadedStatus, message).toBody(identity.id),
  );
}
