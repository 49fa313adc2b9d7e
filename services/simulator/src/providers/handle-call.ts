import { type Directive, DirectiveError, directiveOfRound, findDirective } from '../domain/directive';
import type { CallFacts, CallOutcome } from '../domain/meter';
import { directiveTexts, type Prompt, roundsOf, signedPartsOf } from '../domain/prompt';
import { NO_USAGE } from '../domain/usage';
import type { Call } from '../http/call';
import { readBody } from '../http/read-body';
import { dropConnection, resetConnection, sendJson } from '../http/send';
import type { Identity, ProviderProtocol } from './protocol';
import type { ProviderDeps } from './provider';
import { ProviderError } from './provider-error';

/** A request, reduced to what the handling of the call depends on. */
export interface ParsedRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly prompt: Prompt;
}

/** A call with everything needed to answer it. */
export interface Exchange<R extends ParsedRequest, V extends ProviderProtocol> {
  readonly call: Call;
  readonly deps: ProviderDeps;
  readonly protocol: V;
  readonly request: R;
  readonly directive: Directive;
  readonly identity: Identity;
}

export const freeOutcome = (status: number, finished: boolean, aborted: boolean): CallOutcome => ({
  status,
  usage: NO_USAGE,
  finished,
  aborted,
});

/** Handles a call from its first byte to its last. It is always metered; a refused call is free. */
export async function handleMetered<R extends ParsedRequest, V extends ProviderProtocol>(
  call: Call,
  deps: ProviderDeps,
  protocol: V,
  read: () => Promise<R>,
  answer: (exchange: Exchange<R, V>) => CallOutcome | Promise<CallOutcome>,
): Promise<void> {
  const record = deps.meter.begin();
  const { provider } = protocol;
  let facts: CallFacts = { provider, model: '', requestId: requestIdOf(call), stream: false, signedParts: 0 };
  let outcome = freeOutcome(0, false, call.stopped);
  try {
    const exchange = await readExchange(call, deps, protocol, read, ({ model, stream, prompt }) => {
      facts = { ...facts, model, stream, signedParts: signedPartsOf(prompt) };
    });
    outcome = (await applyFailure(exchange)) ?? (await answer(exchange));
  } catch (error) {
    const refusal = refusalOf(error, protocol);
    if (refusal === undefined) {
      outcome = freeOutcome(0, false, call.stopped);
      throw error;
    }
    sendError(call, deps, protocol, refusal);
    outcome = freeOutcome(refusal.status, true, false);
  } finally {
    record(facts, outcome);
  }
}

/** Handles a free call that is not metered but obeys directives. */
export async function handleUnmetered<R extends ParsedRequest, V extends ProviderProtocol>(
  call: Call,
  deps: ProviderDeps,
  protocol: V,
  read: () => Promise<R>,
  toBody: (exchange: Exchange<R, V>) => unknown,
): Promise<void> {
  try {
    const exchange = await readExchange(call, deps, protocol, read);
    if ((await applyFailure(exchange)) !== undefined) return;
    sendJson(call.res, 200, toBody(exchange), protocol.headers(exchange.identity.id));
  } catch (error) {
    const refusal = refusalOf(error, protocol);
    if (refusal === undefined) throw error;
    sendError(call, deps, protocol, refusal);
  }
}

/** Handles a lookup without a body, such as the list of models or a task's state. It is not metered. */
export function handleLookup(
  call: Call,
  deps: ProviderDeps,
  protocol: ProviderProtocol,
  toBody: (id: string) => unknown,
): void {
  try {
    protocol.authorize(call);
    const id = deps.newId();
    sendJson(call.res, 200, toBody(id), protocol.headers(id));
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    sendError(call, deps, protocol, error);
  }
}

export function sendError(
  call: Call,
  deps: ProviderDeps,
  protocol: Pick<ProviderProtocol, 'headers'>,
  error: ProviderError,
): void {
  const id = deps.newId();
  sendJson(call.res, error.status, error.toBody(id), protocol.headers(id));
}

/** @throws ProviderError for a body that is too large or not JSON, and what `parse` throws */
export async function readJson<R>(
  call: Call,
  deps: ProviderDeps,
  protocol: ProviderProtocol,
  parse: (body: unknown) => R,
): Promise<R> {
  const body = await readBody(call.req, deps.maxBodyBytes);
  if (body === undefined) throw protocol.errorOfStatus(413, 'The request body is too large.');
  let json: unknown;
  try {
    json = JSON.parse(body.toString('utf8'));
  } catch {
    throw protocol.errorOfStatus(400, 'We could not parse the JSON body of your request.');
  }
  return parse(json);
}

/**
 * Sends a reply that is not a stream, cut by `drop_after_chunks` as a stream of so many parts would be. A cut reply is free:
 * its last byte never arrives, and the usage in half a JSON body is unreadable.
 */
export function sendJsonReply<R extends ParsedRequest, V extends ProviderProtocol>(
  { call, protocol, directive, identity }: Exchange<R, V>,
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
    ...protocol.headers(identity.id),
  });
  if (dropAfter <= parts) {
    call.res.write(Buffer.from(body).subarray(0, Math.floor((bytes * dropAfter) / (parts + 1))));
    dropConnection(call.res);
    return freeOutcome(status, false, false);
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

function refusalOf(error: unknown, protocol: ProviderProtocol): ProviderError | undefined {
  if (error instanceof DirectiveError) return protocol.errorOfStatus(400, error.message);
  return error instanceof ProviderError ? error : undefined;
}

async function readExchange<R extends ParsedRequest, V extends ProviderProtocol>(
  call: Call,
  deps: ProviderDeps,
  protocol: V,
  read: () => Promise<R>,
  onRead?: (request: R) => void,
): Promise<Exchange<R, V>> {
  protocol.authorize(call);
  const request = await read();
  onRead?.(request);
  const { prompt } = request;
  const directive = directiveOfRound(findDirective(directiveTexts(prompt)), roundsOf(prompt).length);
  const identity = { id: deps.newId(), createdSeconds: Math.floor(deps.nowMs() / 1000) };
  return { call, deps, protocol, request, directive, identity };
}

/** Applies the delay or failure that the directive demands; returns undefined if a reply is due. */
async function applyFailure<R extends ParsedRequest, V extends ProviderProtocol>(
  exchange: Exchange<R, V>,
): Promise<CallOutcome | undefined> {
  const { call, protocol, directive } = exchange;
  if (directive.delay_ms && !(await call.sleep(directive.delay_ms))) return freeOutcome(0, false, true);
  if (call.stopped) return freeOutcome(0, false, true);
  if (directive.reset) {
    resetConnection(call.res);
    return freeOutcome(0, false, false);
  }
  if (directive.policy && protocol.contentPolicy !== undefined)
    return fail(exchange, protocol.contentPolicy());
  const status = statusOf(directive);
  if (status < 300 && (directive.error === undefined || !protocol.errorsWithStatus200)) return undefined;
  const message = typeof directive.error === 'string' ? directive.error : undefined;
  return fail(exchange, protocol.errorOfStatus(status, message, directive.retry_after));
}

function fail<R extends ParsedRequest, V extends ProviderProtocol>(
  { call, protocol, directive, identity }: Exchange<R, V>,
  refusal: ProviderError,
): CallOutcome {
  const { error, retry_after } = directive;
  const body = typeof error === 'object' ? error : refusal.toBody(identity.id);
  sendJson(call.res, refusal.status, body, protocol.headers(identity.id, retry_after));
  return freeOutcome(refusal.status, true, false);
}
