import { GatewayError } from '@gateway/errors';
import { clientNetwork, LOGIN_TOKEN } from '@gateway/public-http';
import { looksLikeApiKey, readBearer } from '../domain/api-key';
import type { LoginTokens, VerifyOptions } from '../domain/login-tokens';
import type { Throttle } from '../domain/throttle';
import type { DashboardProxy } from '../http/dashboard-proxy';
import type { Exchange } from '../http/exchange';
import { type BodyLimits, readBody } from '../http/read-body';
import { presentedCredentials } from '../http/request-headers';
import { answerPlayground, PLAYGROUND_PREFIX, type PlaygroundDependencies } from './playground';

export interface DashboardDependencies {
  readonly tokens: LoginTokens;
  readonly throttle: Throttle;
  readonly proxy: DashboardProxy;
  readonly bodyLimits: BodyLimits;
  readonly playground: PlaygroundDependencies;
}

const API_PREFIX = '/api/v1/';
const PUBLIC_CALLS = new Set([
  'GET /api/v1/auth/registration',
  'POST /api/v1/auth/register',
  'POST /api/v1/auth/login',
  'POST /api/v1/secret-scanning/github',
]);
/** Accepts expired tokens; the dashboard checks whether their session has ended. */
const RENEWAL = 'POST /api/v1/auth/refresh';
const RENEWABLE: VerifyOptions = { maxExpiredSeconds: LOGIN_TOKEN.renewableSeconds };
/** Paths that two servers may interpret differently: empty and dot segments, encoded or not, and backslashes. */
const AMBIGUOUS = /\/\/|\\|(?:\/|%2f)(?:\.|%2e){1,2}(?:\/|%2f|$)|%5c|%00/i;

/** Answers a request in the dashboard space; the order of the steps is the precedence of errors. */
export async function answerDashboard(exchange: Exchange, deps: DashboardDependencies): Promise<void> {
  const { path, request } = exchange;
  const method = request.method ?? '';
  if (method !== 'GET' && method !== 'POST') throw new GatewayError('not_found');
  if (!path.startsWith('/') || AMBIGUOUS.test(path) || isApiSpacePath(path))
    throw new GatewayError('not_found');

  // Unauthenticated clients are distinguished by their address.
  let sender = `address ${clientNetwork(exchange.clientAddress)}`;
  exchange.route = 'dashboard_ui';
  if (path.startsWith(API_PREFIX)) {
    exchange.route = 'dashboard_api';
    const credentials = presentedCredentials(request);
    if (looksLikeApiKey(credentials)) throw new GatewayError('not_found');
    const call = `${method} ${path}`;
    let token = '';
    if (!PUBLIC_CALLS.has(call)) {
      token = readBearer(credentials.authorization) ?? '';
      if (!token) throw new GatewayError('invalid_api_key');
      const userId = await deps.tokens.verify(token, call === RENEWAL ? RENEWABLE : {});
      exchange.caller = { userId };
      sender = `user ${userId}`;
    }
    await deps.throttle.admit();
    if (path.startsWith(PLAYGROUND_PREFIX)) return answerPlayground(exchange, token, sender, deps.playground);
  }
  // Read completely first, so that a slow client does not occupy a connection to the dashboard.
  const body = await readBody(exchange, deps.bodyLimits, sender);
  try {
    await deps.proxy.forward(exchange, body);
  } finally {
    body.release();
  }
}

/** Whether the path belongs to the API space. */
function isApiSpacePath(path: string): boolean {
  return path === '/v1' || path.startsWith('/v1/');
}
