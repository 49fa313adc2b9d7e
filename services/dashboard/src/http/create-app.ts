import { randomUUIDv7 } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import { GatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/process';
import { clientNetwork } from '@gateway/public-http';
import { type Peer, type RequestContext, SERVICE_TOKEN_HEADER, type Trust } from '@gateway/rpc';
import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { canCall } from '../domain/access';
import type { Login } from '../domain/user';
import type { DashboardMetrics } from '../metrics';
import type { Call, Endpoint, UserCall, UserEndpoint } from '../routes/endpoint';
import { StreamedFile } from '../routes/streamed-file';
import { isApiKey } from './authenticate';
import { readJsonBody, readRawBody } from './json-body';
import { sendError, sendFile, sendJson } from './send';

const BASE_PATH = '/api/v1';
const MAX_LOGGED_PATH = 200;

export interface AppDependencies {
  readonly endpoints: readonly Endpoint[];
  /** @param forRenewal accepts a token that may have expired */
  authenticate(authorization: string | undefined, forRenewal: boolean): Promise<Login>;
  /** Records a refused login token. */
  refusedToken(error: unknown, head: Pick<Call, 'context' | 'clientIp'>): void;
  /** Records that an operator has read accounts' data. */
  lookedUp(endpoint: UserEndpoint, call: UserCall, result: unknown): Promise<void>;
  /** Handles a call that makes a change, and records who made it. */
  recordChange(endpoint: UserEndpoint, call: UserCall): Promise<unknown>;
  /** Serves the API document. */
  readonly apiDocument: RequestHandler;
  /** Serves the web UI. */
  readonly webUi: RequestHandler;
  /** Recognizes edge, the only caller. */
  readonly trust: Trust;
  readonly log: Logger;
  readonly metrics: DashboardMetrics;
  /** Whether connections should be closed after their current request. */
  closing(): boolean;
}

/** Creates the HTTP application. Errors win in this order: path and method, authentication, body, call. */
export function createApp(deps: AppDependencies): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('strict routing');
  app.enable('case sensitive routing');
  app.set('query parser', 'simple');
  // Edge is the only proxy in front; `begin` refuses other clients.
  app.set('trust proxy', 1);
  const inFlight = new Set<string>();
  app.use((request, response, next) => begin(deps, inFlight, request, response, next));
  for (const endpoint of deps.endpoints) {
    const register = endpoint.method === 'GET' ? app.get.bind(app) : app.post.bind(app);
    register(`${BASE_PATH}${endpoint.path}`, (request, response, next) =>
      answer(deps, endpoint, request, response).catch(next),
    );
  }
  app.use(deps.apiDocument);
  app.use(deps.webUi);
  app.use((_request, _response, next) => next(new GatewayError('not_found')));
  // Express recognizes an error handler by its four parameters.
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    sendError(request, response, error, contextOf(response)?.log ?? deps.log);
  });
  return app;
}

function begin(
  deps: AppDependencies,
  inFlight: Set<string>,
  request: Request,
  response: Response,
  next: NextFunction,
): void {
  const isFromEdge = deps.trust.isOneOf(['edge'], peerOf(request));
  delete request.headers[SERVICE_TOKEN_HEADER];
  const requestId = (isFromEdge && request.get('x-request-id')?.slice(0, 128)) || randomUUIDv7();
  const isDuplicate = inFlight.has(requestId);
  if (!isDuplicate) inFlight.add(requestId);
  const abort = new AbortController();
  const log = deps.log.child({ requestId });
  const startedMs = performance.now();
  response.locals.context = { requestId, signal: abort.signal, log } satisfies RequestContext;
  response.set({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  if (deps.closing()) response.set('connection', 'close');
  response.once('close', () => {
    if (!isDuplicate) inFlight.delete(requestId);
    if (!response.writableFinished) abort.abort();
    const { method } = request;
    const { statusCode: status } = response;
    const durationMs = Math.round(performance.now() - startedMs);
    deps.metrics.answered({ method, route: response.locals.route ?? 'none', status, durationMs });
    log.info({ method, path: request.path.slice(0, MAX_LOGGED_PATH), status, durationMs }, 'answered');
  });
  // Express would answer HEAD with GET's handler.
  const known = request.method === 'GET' || request.method === 'POST';
  if (!isFromEdge || !known || isApiKey(request.get('authorization'))) next(new GatewayError('not_found'));
  // The request id names one hold and one audit entry.
  else if (isDuplicate) next(duplicate());
  else next();
}

const peerOf = (request: Request): Peer => ({
  header: (name) => request.get(name) ?? '',
  certificate: () =>
    request.socket instanceof TLSSocket && request.socket.authorized
      ? request.socket.getPeerCertificate()
      : undefined,
});

/** Like every call that a user has no access to. */
const firstPassword = () =>
  new GatewayError('not_found', {
    detail: 'change your first password with POST auth/password before other calls',
  });

const duplicate = () =>
  new GatewayError('invalid_request', { detail: 'a call with this request id is in flight' });

async function answer(
  deps: AppDependencies,
  endpoint: Endpoint,
  request: Request,
  response: Response,
): Promise<void> {
  response.locals.route = endpoint.path;
  if (endpoint.access === 'public') {
    const read = 'takesRawBody' in endpoint ? readRawCall : readCall;
    sendJson(response, await endpoint.handle(await read(request, response)));
    return;
  }
  const login = await deps
    .authenticate(request.get('authorization'), 'renewsLogin' in endpoint)
    .catch((error: unknown) => {
      deps.refusedToken(error, headOf(request, response));
      throw error;
    });
  if (!canCall(login.user, endpoint.access)) throw new GatewayError('not_found');
  if (login.user.mustChangePassword && !endpoint.beforePasswordChange) throw firstPassword();
  const call = { ...(await readCall(request, response)), ...login };
  const changes = endpoint.method === 'POST' && !endpoint.unaudited;
  const result = await (changes ? deps.recordChange(endpoint, call) : endpoint.handle(call));
  if (endpoint.access === 'operator' && !changes) await deps.lookedUp(endpoint, call, result);
  if (result instanceof StreamedFile) await sendFile(response, result, call.context.signal);
  else sendJson(response, result);
}

async function readCall(request: Request, response: Response): Promise<Call> {
  const body = request.method === 'POST' ? await readJsonBody(request) : undefined;
  return { ...headOf(request, response), body };
}

async function readRawCall(request: Request, response: Response): Promise<Call> {
  const raw = { bytes: await readRawBody(request), header: (name: string) => request.get(name) };
  return { ...headOf(request, response), body: undefined, raw };
}

const headOf = (request: Request, response: Response) => ({
  context: contextOf(response)!,
  address: clientNetwork(request.ip ?? ''),
  clientIp: request.ip ?? '',
  params: joinedParams(request.params),
  query: request.query,
  idempotencyKey: request.get('idempotency-key'),
});

/** Joins the decoded segments of a wildcard: `a/b` and `a%2Fb` are the same name. */
function joinedParams(params: Request['params']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, Array.isArray(value) ? value.join('/') : value]),
  );
}

const contextOf = (response: Response): RequestContext | undefined => response.locals.context;
