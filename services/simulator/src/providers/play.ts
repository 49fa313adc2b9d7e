import { type Directive, DirectiveError, directiveOfRound, findDirective } from '../domain/directive';
import type { CallFacts, CallOutcome } from '../domain/meter';
import { directiveTexts, type Prompt, roundsOf, signedPartsOf } from '../domain/prompt';
import { NO_USAGE } from '../domain/usage';
import type { Call } from '../http/call';
import { readBody } from '../http/read-body';
import { dropConnection, resetConnection, sendJson } from '../http/send';
import type { ProviderDeps } from './provider';
import type { Identity, Voice } from './voice';
import { WireError } from './wire-error';

/** What any request says, as far as the course of its call depends on it. */
export interface AnyRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly prompt: Prompt;
}

/** One call with everything needed to answer it. */
export interface Scene<R extends AnyRequest, V extends Voice> {
  readonly call: Call;
  readonly deps: ProviderDeps;
  readonly voice: V;
  readonly request: R;
  readonly directive: Directive;
  readonly identity: Identity;
}

export const unbilled = (status: number, finished: boolean, aborted: boolean): CallOutcome => ({
  status,
  usage: NO_USAGE,
  finished,
  aborted,
});

/** A call from its first byte to its last, metered whatever comes of it; a refused one costs nothing. */
export async function play<R extends AnyRequest, V extends Voice>(
  call: Call,
  deps: ProviderDeps,
  voice: V,
  read: () => Promise<R>,
  answer: (scene: Scene<R, V>) => CallOutcome | Promise<CallOutcome>,
): Promise<void> {
  const record = deps.meter.begin();
  const { provider } = voice;
  let facts: CallFacts = { provider, model: '', requestId: requestIdOf(call), stream: false, signedParts: 0 };
  let outcome = unbilled(0, false, call.stopped);
  try {
    const scene = await toScene(call, deps, voice, read, ({ model, stream, prompt }) => {
      facts = { ...facts, model, stream, signedParts: signedPartsOf(prompt) };
    });
    outcome = (await endEarly(scene)) ?? (await answer(scene));
  } catch (error) {
    const refusal = refusalOf(error, voice);
    if (refusal === undefined) {
      outcome = unbilled(0, false, call.stopped);
      throw error;
    }
    sendError(call, deps, voice, refusal);
    outcome = unbilled(refusal.status, true, false);
  } finally {
    record(facts, outcome);
  }
}

/** A call that is free and not metered; a directive in its prompt rules it nevertheless. */
export async function playFree<R extends AnyRequest, V extends Voice>(
  call: Call,
  deps: ProviderDeps,
  voice: V,
  read: () => Promise<R>,
  toBody: (scene: Scene<R, V>) => unknown,
): Promise<void> {
  try {
    const scene = await toScene(call, deps, voice, read);
    if ((await endEarly(scene)) !== undefined) return;
    sendJson(call.res, 200, toBody(scene), voice.headers(scene.identity.id));
  } catch (error) {
    const refusal = refusalOf(error, voice);
    if (refusal === undefined) throw error;
    sendError(call, deps, voice, refusal);
  }
}

/** A look-up without a body, such as the list of models or a task's state: not metered. */
export function playLookUp(
  call: Call,
  deps: ProviderDeps,
  voice: Voice,
  toBody: (id: string) => unknown,
): void {
  try {
    voice.authorize(call);
    const id = deps.newId();
    sendJson(call.res, 200, toBody(id), voice.headers(id));
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    sendError(call, deps, voice, error);
  }
}

export function sendError(
  call: Call,
  deps: ProviderDeps,
  voice: Pick<Voice, 'headers'>,
  error: WireError,
): void {
  const id = deps.newId();
  sendJson(call.res, error.status, error.toBody(id), voice.headers(id));
}

/** @throws WireError for a body that is too large or no JSON, and what `parse` throws */
export async function readJson<R>(
  call: Call,
  deps: ProviderDeps,
  voice: Voice,
  parse: (body: unknown) => R,
): Promise<R> {
  const body = await readBody(call.req, deps.maxBodyBytes);
  if (body === undefined) throw voice.errorOfStatus(413, 'The request body is too large.');
  let json: unknown;
  try {
    json = JSON.parse(body.toString('utf8'));
  } catch {
    throw voice.errorOfStatus(400, 'We could not parse the JSON body of your request.');
  }
  return parse(json);
}

/**
 * A reply in one piece, cut by `drop_after_chunks` as a stream of so many parts would be. What is cut costs nothing:
 * the last byte never comes, and nobody can read the usage in half a JSON body.
 */
export function sendWhole<R extends AnyRequest, V extends Voice>(
  { call, voice, directive, identity }: Scene<R, V>,
  json: unknown,
  parts: number,
  bill: Pick<CallOutcome, 'usage' | 'media'>,
): CallOutcome {
  const status = statusOf(directive);
  const body = JSON.stringify(json);
  const bytes = Buffer.byteLength(body);
  const dropAfter = directive.drop_after_chunks ?? Number.POSITIVE_INFINITY;
  call.res.writeHead(status, {
    'content-type': 'application/json',
    'content-length': bytes,
    ...voice.headers(identity.id),
  });
  if (dropAfter <= parts) {
    call.res.write(Buffer.from(body).subarray(0, Math.floor((bytes * dropAfter) / (parts + 1))));
    dropConnection(call.res);
    return unbilled(status, false, false);
  }
  call.res.end(body);
  return { status, ...bill, finished: true, aborted: false };
}

export function statusOf({ status, error }: Directive): number {
  return status ?? (error === undefined ? 200 : 500);
}

export function requestIdOf(call: Call): string | null {
  const { headers } = call.req;
  const id = headers['x-request-id'] ?? headers['x-client-request-id'];
  return typeof id === 'string' ? id.slice(0, 128) : null;
}

function refusalOf(error: unknown, voice: Voice): WireError | undefined {
  if (error instanceof DirectiveError) return voice.errorOfStatus(400, error.message);
  return error instanceof WireError ? error : undefined;
}

async function toScene<R extends AnyRequest, V extends Voice>(
  call: Call,
  deps: ProviderDeps,
  voice: V,
  read: () => Promise<R>,
  onRead?: (request: R) => void,
): Promise<Scene<R, V>> {
  voice.authorize(call);
  const request = await read();
  onRead?.(request);
  const { prompt } = request;
  const directive = directiveOfRound(findDirective(directiveTexts(prompt)), roundsOf(prompt));
  const identity = { id: deps.newId(), createdSeconds: Math.floor(deps.nowMs() / 1000) };
  return { call, deps, voice, request, directive, identity };
}

/** What the directive demands before or instead of a reply; undefined when a reply is due. */
async function endEarly<R extends AnyRequest, V extends Voice>(
  scene: Scene<R, V>,
): Promise<CallOutcome | undefined> {
  const { call, voice, directive } = scene;
  if (directive.delay_ms && !(await call.sleep(directive.delay_ms))) return unbilled(0, false, true);
  if (call.stopped) return unbilled(0, false, true);
  if (directive.reset) {
    resetConnection(call.res);
    return unbilled(0, false, false);
  }
  if (directive.policy && voice.contentPolicy !== undefined) return fail(scene, voice.contentPolicy());
  const status = statusOf(directive);
  if (status < 300 && (directive.error === undefined || !voice.refusesInSuccess)) return undefined;
  const message = typeof directive.error === 'string' ? directive.error : undefined;
  return fail(scene, voice.errorOfStatus(status, message, directive.retry_after));
}

function fail<R extends AnyRequest, V extends Voice>(
  { call, voice, directive, identity }: Scene<R, V>,
  refusal: WireError,
): CallOutcome {
  const { error, retry_after } = directive;
  const body = typeof error === 'object' ? error : refusal.toBody(identity.id);
  sendJson(call.res, refusal.status, body, voice.headers(identity.id, retry_after));
  return unbilled(refusal.status, true, false);
}
