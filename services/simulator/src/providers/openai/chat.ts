import { type Directive, DirectiveError, findDirective } from '../../domain/directive';
import type { CallFacts, CallOutcome } from '../../domain/meter';
import type { Reply } from '../../domain/reply';
import { NO_USAGE, usageOf } from '../../domain/usage';
import type { Call } from '../../http/call';
import { playStream } from '../../http/play-stream';
import { readBody } from '../../http/read-body';
import { dropConnection, resetConnection, sendJson } from '../../http/send';
import type { ProviderDeps } from '../provider';
import { hasBearer } from './bearer';
import { type ChatIdentity, toChatCompletion, toStreamFrames } from './chat-format';
import { countPrompt, directiveTexts } from './chat-prompt';
import { type ChatRequest, checkReplySize, parseChatRequest } from './chat-request';
import { bodyTooLarge, contentPolicy, errorOfStatus, noApiKey, OpenAiError } from './error';
import { openAiHeaders, sendError } from './send';

/** One call with everything needed to answer it. */
interface Scene {
  readonly call: Call;
  readonly deps: ProviderDeps;
  readonly request: ChatRequest;
  readonly directive: Directive;
  readonly identity: ChatIdentity;
}

const unbilled = (status: number, finished: boolean, aborted: boolean): CallOutcome => ({
  status,
  usage: NO_USAGE,
  finished,
  aborted,
});

/** POST /v1/chat/completions: every call that comes here is metered, refused ones with no tokens. */
export async function chatCompletions(call: Call, deps: ProviderDeps): Promise<void> {
  const record = deps.meter.begin();
  let facts: CallFacts = { provider: 'openai', model: '', requestId: requestIdOf(call), stream: false };
  let outcome = unbilled(0, false, call.stopped);
  try {
    const request = await readRequest(call, deps.maxBodyBytes);
    facts = { ...facts, model: request.model, stream: request.stream };
    const directive = findDirective(directiveTexts(request.messages));
    const createdSeconds = Math.floor(deps.nowMs() / 1000);
    const identity = { id: deps.newId(), createdSeconds };
    outcome = await answer({ call, deps, request, directive, identity });
  } catch (error) {
    const refusal = error instanceof DirectiveError ? new OpenAiError(400, error.message) : error;
    if (!(refusal instanceof OpenAiError)) {
      outcome = unbilled(0, false, call.stopped);
      throw error;
    }
    sendError(call, deps, refusal);
    outcome = unbilled(refusal.status, true, false);
  } finally {
    record(facts, outcome);
  }
}

async function readRequest(call: Call, maxBytes: number): Promise<ChatRequest> {
  if (!hasBearer(call.req.headers)) throw noApiKey();
  const body = await readBody(call.req, maxBytes);
  if (body === undefined) throw bodyTooLarge();
  let json: unknown;
  try {
    json = JSON.parse(body.toString('utf8'));
  } catch {
    throw new OpenAiError(400, 'We could not parse the JSON body of your request.');
  }
  return parseChatRequest(json);
}

async function answer(scene: Scene): Promise<CallOutcome> {
  const { call, deps, request, directive } = scene;
  if (directive.delay_ms && !(await call.sleep(directive.delay_ms))) return unbilled(0, false, true);
  if (call.stopped) return unbilled(0, false, true);
  if (directive.reset) {
    resetConnection(call.res);
    return unbilled(0, false, false);
  }
  const status = directive.status ?? (directive.error === undefined ? 200 : 500);
  if (directive.policy || status >= 300) return fail(scene, status);
  const reply = deps.replies.write(directive, request.maxTokens);
  checkReplySize(reply.pieces.length, request.n);
  return request.stream ? streamReply(scene, reply, status) : sendReply(scene, reply, status);
}

function fail({ call, deps, directive }: Scene, status: number): CallOutcome {
  const { error, retry_after } = directive;
  const message = typeof error === 'string' ? error : undefined;
  const refusal = directive.policy ? contentPolicy() : errorOfStatus(status, message);
  const body = typeof error === 'object' ? error : refusal.toBody();
  const headers = retry_after === undefined ? {} : { 'retry-after': String(retry_after) };
  sendJson(call.res, refusal.status, body, { ...openAiHeaders(deps.newId()), ...headers });
  return unbilled(refusal.status, true, false);
}

function sendReply(scene: Scene, reply: Reply, status: number): CallOutcome {
  const { call, deps, request, directive, identity } = scene;
  const sent = reply.pieces.length * request.n;
  const promptTokens = countPrompt(request, deps.tokenizer);
  const usage = usageOf({ reply, n: request.n, sent }, promptTokens, directive, deps.tokenizer);
  const body = JSON.stringify(toChatCompletion(identity, request, reply, usage));
  const bytes = Buffer.byteLength(body);
  const dropAfter = directive.drop_after_chunks ?? Number.POSITIVE_INFINITY;
  call.res.writeHead(status, {
    'content-type': 'application/json',
    'content-length': bytes,
    ...openAiHeaders(identity.id),
  });
  if (dropAfter <= sent) {
    // The last byte never comes: a JSON body of which nobody can read the usage is not billed.
    call.res.write(Buffer.from(body).subarray(0, Math.floor((bytes * dropAfter) / (sent + 1))));
    dropConnection(call.res);
    return unbilled(status, false, false);
  }
  call.res.end(body);
  return { status, usage, finished: true, aborted: false };
}

async function streamReply(scene: Scene, reply: Reply, status: number): Promise<CallOutcome> {
  const { call, deps, request, directive, identity } = scene;
  const promptTokens = countPrompt(request, deps.tokenizer);
  const charge = (sent: number) =>
    usageOf({ reply, n: request.n, sent }, promptTokens, directive, deps.tokenizer);
  const all = charge(reply.pieces.length * request.n);
  const frames = toStreamFrames(identity, request, reply, all);
  call.res.writeHead(status, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'transfer-encoding': 'chunked',
    ...openAiHeaders(identity.id),
  });
  const { sent, end } = await playStream(call, frames, {
    chunkDelayMs: directive.chunk_delay_ms ?? 0,
    dropAfter: directive.drop_after_chunks ?? Number.POSITIVE_INFINITY,
  });
  const usage = end === 'finished' ? all : charge(sent);
  return { status, usage, finished: end === 'finished', aborted: end === 'aborted' };
}

function requestIdOf(call: Call): string | null {
  const { headers } = call.req;
  const id = headers['x-request-id'] ?? headers['x-client-request-id'];
  return typeof id === 'string' ? id.slice(0, 128) : null;
}
