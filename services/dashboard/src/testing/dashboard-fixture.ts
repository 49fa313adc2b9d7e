import { randomBytes } from 'node:crypto';
import { createLogger } from '@gateway/process';
import { SERVICE_TOKEN_HEADER, serviceToken } from '@gateway/rpc';
import { createServiceDatabase, createTestDatabase, until } from '@gateway/testing';
import pg from 'pg';
import type { ApiDocument } from '../openapi/api-document';
import { start } from '../server';
import { DocumentCheck } from './document-check';
import { startFakeBilling } from './fake-billing';
import { startFakeCatalog } from './fake-catalog';
import { startFakeProviderServices } from './fake-provider-services';

export const SECRET = 'a-secret-for-tests-only';
/** Header by which edge proves its identity to the dashboard. */
export const FROM_EDGE = { [SERVICE_TOKEN_HEADER]: serviceToken(SECRET, 'edge') };
export const OPERATOR = { email: 'operator@example.com', password: 'operator-password' };
export const newSeed = () => randomBytes(32).toString('base64url');

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect to be there.
  body: any;
}

export type Dashboard = Awaited<ReturnType<typeof startDashboard>>;
export type World = Awaited<ReturnType<typeof startWorld>>;

/** A database and the services that the dashboard calls. */
export async function startWorld() {
  const log = createLogger('dashboard-test', 'silent');
  const database = await createTestDatabase();
  const serviceUrl = await createServiceDatabase('dashboard', database.url);
  const billing = await startFakeBilling(log, SECRET);
  const catalog = await startFakeCatalog(log, SECRET);
  const providers = await startFakeProviderServices(log, SECRET);
  const query = async (sql: string) => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    return client.query(sql).finally(() => client.end());
  };
  const stop = async () => {
    await billing.server.stop(1_000);
    await catalog.stop();
    await providers.stop();
    await database.drop();
  };
  return { log, database: { url: serviceUrl, query }, billing, catalog, providers, stop };
}

/** A dashboard that is ready. */
export async function startDashboard(world: World, env: Record<string, string> = {}) {
  const service = await start(
    {
      HTTP_PORT: '0',
      GRPC_PORT: '0',
      SERVICE_SECRET: SECRET,
      DATABASE_URL: world.database.url,
      BILLING_ADDR: `127.0.0.1:${world.billing.server.port}`,
      CATALOG_ADDR: `127.0.0.1:${world.catalog.server.port}`,
      CHAT_ADDR: world.providers.address,
      MEDIA_ADDR: world.providers.address,
      JWT_SIGNING_KEY: newSeed(),
      PUBLIC_API_URL: 'connection',
      ADMIN_EMAIL: OPERATOR.email,
      ADMIN_PASSWORD: OPERATOR.password,
      ...env,
    },
    world.log,
  );
  await until(async () => (await fetch(`http://127.0.0.1:${service.ports.admin}/readyz`)).ok);
  const origin = `http://127.0.0.1:${service.ports.http}`;

  /** Sends a request as edge does. */
  const fetchAsEdge = (path: string, init: RequestInit = {}) =>
    fetch(origin + path, { ...init, headers: { ...FROM_EDGE, ...(init.headers as Record<string, string>) } });
  const document = await (await fetchAsEdge('/openapi.json')).json();
  const check = new DocumentCheck(document as ApiDocument);

  async function send(path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetchAsEdge(path, init);
    const text = await response.text();
    const { status, headers } = response;
    const contentType = headers.get('content-type') ?? '';
    const isJson = text !== '' && contentType.startsWith('application/json');
    const answer = { status, headers, body: isJson ? JSON.parse(text) : text };
    const received = { status, contentType, json: answer.body };
    // Responses of chat and media are documented elsewhere, and these are made up.
    const problem = /\/playground\//.test(path)
      ? undefined
      : check.problemOf(init.method ?? 'GET', path.split('?')[0] ?? '', received);
    if (problem !== undefined) throw new Error(problem);
    return answer;
  }
  const get = (path: string, token?: string) =>
    send(`/api/v1/${path}`, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } });
  const post = (path: string, body?: unknown, token?: string, headers: Record<string, string> = {}) =>
    send(`/api/v1/${path}`, {
      method: 'POST',
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const postForm = (path: string, form: FormData, token?: string, headers: Record<string, string> = {}) =>
    send(`/api/v1/${path}`, {
      method: 'POST',
      headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
      body: form,
    });
  const register = async () => {
    const email = `user-${randomBytes(6).toString('hex')}@example.com`;
    const { body } = await post('auth/register', { email, password: 'password-1', name: 'A user' });
    return { email, password: 'password-1', ...body } as {
      email: string;
      password: string;
      token: string;
      account: { id: string };
    };
  };
  /** Logs a new member in and changes the first password. */
  const firstLogin = async (email: string, firstPassword: string, password = 'my-own-password') => {
    const { token } = (await post('auth/login', { email, password: firstPassword })).body;
    await post('auth/password', { password: firstPassword, new_password: password }, token);
    return token as string;
  };
  const loginOperator = async () => (await post('auth/login', OPERATOR)).body.token as string;
  return {
    origin,
    fetch: fetchAsEdge,
    check,
    ports: service.ports,
    send,
    get,
    post,
    postForm,
    register,
    loginOperator,
    firstLogin,
    stop: () => service.stop(),
  };
}

/** Entries of an audit log without logins and lookups, which tests cause in addition to their changes. */
// biome-ignore lint/suspicious/noExplicitAny: tests read what they expect to be there.
export const changesOf = ({ data }: { data: any[] }): any[] =>
  data.filter(({ action }) => !/^(login|token|operator|key)\./.test(action));
