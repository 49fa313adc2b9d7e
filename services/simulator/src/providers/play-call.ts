import type { Directive } from '../domain/directive';
import type { CallOutcome } from '../domain/meter';
import { countPrompt } from '../domain/prompt';
import type { Reply } from '../domain/reply';
import { usageOf } from '../domain/usage';
import type { Call } from '../http/call';
import { playStream } from '../http/play-stream';
import type { CallRequest, Dialect, ParseBody } from './dialect';
import { play, playFree, readJson, type Scene, sendWhole, statusOf } from './play';
import type { ProviderDeps } from './provider';

type ChatScene<R extends CallRequest> = Scene<R, Dialect<R>>;

const BLOCKED: Directive = { text: '', finish_reason: 'content_filter' };

/** A call for words. */
export function playCall<R extends CallRequest>(
  call: Call,
  deps: ProviderDeps,
  dialect: Dialect<R>,
  parse: ParseBody<R>,
): Promise<void> {
  return play(call, deps, dialect, () => readJson(call, deps, dialect, parse), reply);
}

/** A call for the size of a prompt. */
export function playCount<R extends CallRequest>(
  call: Call,
  deps: ProviderDeps,
  dialect: Dialect<R>,
  parse: ParseBody<R>,
  toBody: (tokens: number) => unknown,
): Promise<void> {
  const read = () => readJson(call, deps, dialect, parse);
  return playFree(call, deps, dialect, read, ({ directive, request }) =>
    toBody(directive.usage?.prompt_tokens ?? countPrompt(request.prompt, deps.tokenizer)),
  );
}

export function reply<R extends CallRequest>(scene: ChatScene<R>): CallOutcome | Promise<CallOutcome> {
  const { deps, directive, request, voice } = scene;
  const blocked = directive.policy === true;
  const words = deps.replies.write(blocked ? BLOCKED : directive, request.wish);
  const promptTokens = countPrompt(request.prompt, deps.tokenizer);
  const charge = (sent: number) => {
    const usage = usageOf({ reply: words, n: request.n, sent }, promptTokens, directive, deps.tokenizer);
    return voice.tellsCacheWrites ? usage : { ...usage, cacheWriteTokens: 0 };
  };
  return request.stream
    ? streamReply(scene, words, charge, blocked)
    : sendReply(scene, words, charge, blocked);
}

type Charge = (sent: number) => CallOutcome['usage'];

function sendReply<R extends CallRequest>(
  scene: ChatScene<R>,
  words: Reply,
  charge: Charge,
  blocked: boolean,
): CallOutcome {
  const { voice, request, identity } = scene;
  const sent = words.pieces.length * request.n;
  const usage = charge(sent);
  return sendWhole(scene, voice.toBody({ request, identity, reply: words, usage, blocked }), sent, { usage });
}

async function streamReply<R extends CallRequest>(
  scene: ChatScene<R>,
  words: Reply,
  charge: Charge,
  blocked: boolean,
): Promise<CallOutcome> {
  const { call, voice, request, directive, identity } = scene;
  const status = statusOf(directive);
  const all = charge(words.pieces.length * request.n);
  const { frames, toldUsage = charge } = voice.toStream({
    request,
    identity,
    reply: words,
    usage: all,
    blocked,
  });
  call.res.writeHead(status, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'transfer-encoding': 'chunked',
    ...voice.headers(identity.id),
  });
  const failure = streamFailure(scene);
  const { sent, end } = await playStream(call, frames, {
    chunkDelayMs: directive.chunk_delay_ms ?? 0,
    dropAfter:
      directive.drop_after_chunks ?? (failure === undefined ? Number.POSITIVE_INFINITY : frames.count),
    ...(failure === undefined ? {} : { failure }),
  });
  const usage = end === 'finished' ? all : toldUsage(sent);
  return { status, usage, finished: end === 'finished', aborted: end === 'aborted' };
}

function streamFailure<R extends CallRequest>({
  voice,
  directive,
  identity,
}: ChatScene<R>): string | undefined {
  const { stream_error } = directive;
  if (stream_error === undefined) return undefined;
  if (typeof stream_error === 'object') return voice.toErrorFrame(stream_error);
  const message = typeof stream_error === 'string' ? stream_error : undefined;
  return voice.toErrorFrame(voice.errorOfStatus(voice.overloadedStatus, message).toBody(identity.id));
}
