import { GatewayError } from '@gateway/errors';
import { createLogger, SettingsError } from '@gateway/process';
import { until } from '@gateway/testing';
import { afterEach, describe, expect, test } from '@jest/globals';
import { startEdge } from './server';
import { type EdgeFixture, KEY, SECRET, startEdgeFixture } from './testing/edge-fixture';
import { expectFetchError, expectRawError } from './testing/expect-error';
import { FakeBilling } from './testing/fake-billing';
import { connectRaw, parseReply, sendRaw } from './testing/raw-client';

let fixture: EdgeFixture | undefined;
afterEach(async () => {
  await fixture?.stop();
  fixture = undefined;
});
async function start(settings: Record<string, string> = {}): Promise<EdgeFixture> {
  fixture = await startEdgeFixture(settings);
  return fixture;
}

const HEADERS = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
const post = ({ apiUrl }: EdgeFixture) =>
  fetch(`${apiUrl}/v1/chat/completions`, { method: 'POST', headers: HEADERS, body: '{}' });
const ready = ({ edge }: EdgeFixture) => fetch(`http://127.0.0.1:${edge.ports.admin}/readyz`);

describe('with hosts for both spaces', () => {
  test('one port serves both spaces, and an unknown host gets not_found', async () => {
    const { apiPort, dashboard, edge } = await start({
      EDGE_API_HOSTS: 'api.test, api2.test',
      EDGE_DASHBOARD_HOSTS: 'dash.test',
    });
    expect(Object.keys(edge.ports).sort()).toEqual(['admin', 'api']);
    const get = (host: string, path: string, authorization: string) =>
      sendRaw(
        apiPort,
        `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${authorization}\r\nConnection: close\r\n\r\n`,
      );
    const token = await dashboard.token();
    expect(parseReply(await get('api.test', '/v1/models', KEY)).status).toBe(200);
    expect(parseReply(await get('API2.test:80', '/v1/models', KEY)).status).toBe(200);
    expect(parseReply(await get('dash.test', '/api/v1/models', token)).status).toBe(200);
    expectRawError(await get('dash.test', '/v1/models', KEY), 'not_found');
    expectRawError(await get('api.test', '/api/v1/models', token), 'not_found');
    expectRawError(await get('else.test', '/v1/models', KEY), 'not_found');
    expectRawError(await get('', '/v1/models', KEY), 'not_found');
  });

  describe("on the paths of Google's format", () => {
    const PATH = '/v1beta/models/google/gemini:generateContent';
    const sent = async (path: string, headers: Record<string, string> = {}) => {
      const { apiUrl, chat } = await start({});
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{}',
      };
      const { status } = await fetch(`${apiUrl}${path}`, init);
      return { status, call: chat.lastCall?.call };
    };

    test('a key is accepted in x-goog-api-key and as a parameter, which does not leave edge', async () => {
      const byHeader = await sent(`${PATH}?alt=sse`, { 'x-goog-api-key': KEY });
      expect([byHeader.status, byHeader.call?.query]).toEqual([200, 'alt=sse']);
      const byQuery = await sent(`/v1/models/google%2Fgemini%3AstreamGenerateContent?key=${KEY}&alt=sse`);
      expect([byQuery.status, byQuery.call?.query]).toEqual([200, 'alt=sse']);
      expect(JSON.stringify(byQuery.call)).not.toContain(KEY);
      const encoded = await sent(`${PATH}?alt=sse&k%65y=${KEY}`);
      expect([encoded.status, encoded.call?.query]).toEqual([200, 'alt=sse']);
    });

    test('two keys, or another path, are refused', async () => {
      expect((await sent(`${PATH}?key=${KEY}&key=${KEY}`)).status).toBe(401);
      expect((await sent(`${PATH}?key=${KEY}`, { 'x-goog-api-key': KEY })).status).toBe(401);
      expect((await sent('/v1/chat/completions', { 'x-goog-api-key': KEY })).status).toBe(401);
      expect((await sent(`/v1/chat/completions?key=${KEY}`)).status).toBe(401);
      expect((await sent('/v1beta/models/google/gemini:embedAll', { 'x-goog-api-key': KEY })).status).toBe(
        404,
      );
    });
  });

  test('a WebSocket upgrade of /v1/responses is answered 426, and any other 404', async () => {
    const { apiPort } = await start({});
    const upgrade = (path: string) =>
      sendRaw(
        apiPort,
        `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
      );
    const reply = parseReply(await upgrade('/v1/responses'));
    expect(reply.status).toBe(426);
    expect(reply.headers).toMatchObject({ upgrade: 'HTTP/1.1', connection: 'upgrade, close' });
    expect(JSON.parse(reply.body).error).toMatchObject({ type: 'not_found_error', code: 'not_found' });
    expect(parseReply(await upgrade('/v1/chat/completions')).status).toBe(404);
  });

  test('setting the hosts of one space only is rejected', async () => {
    const env = {
      SERVICE_SECRET: SECRET,
      BILLING_ADDR: 'x:1',
      CHAT_ADDR: 'x:1',
      DASHBOARD_ADDR: 'x:1',
      DASHBOARD_HTTP_URL: 'http://x:1',
      EDGE_API_HOSTS: 'api.test',
    };
    await expect(startEdge(env, createLogger('test', 'silent'))).rejects.toThrow(SettingsError);
  });
});

test('an invalid trusted proxy is reported by its position, without its value', async () => {
  const env = { EDGE_TRUSTED_PROXIES: '10.0.0.0/8, 10.0.0.0/40, ::1' };
  const refused = startEdge(env, createLogger('test', 'silent'));
  await expect(refused).rejects.toThrow(SettingsError);
  await expect(refused).rejects.toThrow(/^ {2}EDGE_TRUSTED_PROXIES\.1: neither an address nor a network$/m);
});

describe('resolved keys', () => {
  test('are cached until billing pushes a change', async () => {
    const started = await start();
    const { billing } = started;
    await post(started);
    await post(started);
    expect(billing.resolveCount).toBe(1);
    billing.keys.set(KEY, new GatewayError('invalid_api_key'));
    billing.push({ keyIds: ['key-1'] });
    await until(async () => (await post(started)).status === 401);
  });

  test('are not cached while the watch stream is down, and calls fail while billing is down, but edge stays ready', async () => {
    const started = await start();
    const { billing } = started;
    await post(started);
    const port = Number(billing.address.split(':')[1]);
    await billing.stop();
    await until(async () => (await post(started)).status === 500);
    await expectFetchError(await post(started), 'internal_error');
    expect((await ready(started)).status).toBe(200);

    const log = createLogger('test', 'silent');
    const next = await FakeBilling.start(SECRET, log, port);
    await until(async () => (await post(started)).status === 401);
    await expectFetchError(await post(started), 'invalid_api_key');
    await next.stop();
  });
});

describe('stopping', () => {
  const CALL = `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
  /** Blocks chat's responses until the returned function is called. */
  const blockResponses = ({ chat }: EdgeFixture) => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    chat.handler = async () => {
      await held;
      return { status: 200, headers: { 'content-length': '2' }, body: Buffer.from('{}') };
    };
    return release;
  };

  test('without a lame-duck period refuses new connections at once and finishes calls in flight', async () => {
    // Longer than a busy machine takes for the steps of this test.
    const started = await start({ EDGE_STOP_GRACE_MS: '30000' });
    const release = blockResponses(started);
    const connection = connectRaw(started.apiPort);
    connection.socket.write(CALL);
    const idle = connectRaw(started.apiPort);
    await until(() => started.chat.callCount === 1);
    const stopped = started.edge.stop();
    expect((await ready(started)).status).toBe(503);
    await idle.closed;
    await expect(post(started)).rejects.toThrow();
    release();
    await connection.closed;
    expect(parseReply(connection.text())).toMatchObject({
      status: 200,
      body: '{}',
      headers: { connection: 'close' },
    });
    await stopped;
  });

  test('during the lame-duck period fails /readyz and answers every call with Connection: close', async () => {
    const started = await start({ EDGE_LAME_DUCK_MS: '2500', EDGE_STOP_GRACE_MS: '5000' });
    const { apiPort, dashboardPort, dashboard, chat } = started;
    const kept = connectRaw(apiPort);
    kept.socket.write(CALL);
    await until(() => kept.text().endsWith('{"ok":true}'));
    expect(parseReply(kept.text()).headers.connection).toBe('keep-alive');
    const release = blockResponses(started);
    const inFlight = connectRaw(apiPort);
    inFlight.socket.write(CALL);
    await until(() => chat.callCount === 2);

    void started.edge.stop();
    expect((await ready(started)).status).toBe(503);
    release();
    kept.socket.write(CALL);
    await kept.closed;
    await inFlight.closed;
    // Skips the response from before the stop.
    const again = kept.text().slice(kept.text().indexOf('{"ok":true}') + '{"ok":true}'.length);
    const getPages = `GET / HTTP/1.1\r\nHost: x\r\n\r\n`;
    const stream = async () => ({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: Buffer.from('data: [DONE]\n\n'),
    });
    const proxied = await sendRaw(dashboardPort, getPages);
    const refused = await sendRaw(apiPort, getPages);
    chat.handler = stream;
    const streamed = await sendRaw(apiPort, CALL);
    expect(dashboard.lastRequest?.url).toBe('/');
    for (const [text, status] of [
      [again, 200],
      [inFlight.text(), 200],
      [proxied, 200],
      [refused, 404],
      [streamed, 200],
    ] as const) {
      expect(parseReply(text)).toMatchObject({ status, headers: { connection: 'close' } });
    }
  });

  test('serves one more request on a connection whose last response kept it alive, even after the lame-duck period', async () => {
    const started = await start({ EDGE_LAME_DUCK_MS: '300', EDGE_STOP_GRACE_MS: '20000' });
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    async function* events() {
      yield Buffer.from('data: 1\n\n');
      await ended;
      yield Buffer.from('data: [DONE]\n\n');
    }
    started.chat.handler = async () => ({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: events(),
    });
    const connection = connectRaw(started.apiPort);
    connection.socket.write(CALL);
    await until(() => connection.text().includes('data: 1'));
    const idle = connectRaw(started.apiPort);
    const stopped = started.edge.stop();
    await until(async () =>
      post(started).then(
        () => false,
        () => true,
      ),
    );
    await idle.closed;
    end();
    await until(() => connection.text().endsWith('0\r\n\r\n'));
    started.chat.answerOk();
    connection.socket.write(CALL);
    await connection.closed;
    expect(connection.text()).toMatch(/connection: close[\s\S]*\{"ok":true\}$/i);
    await stopped;
  });

  test('cuts off calls that do not finish within the grace period', async () => {
    const started = await start({ EDGE_STOP_GRACE_MS: '50' });
    started.chat.handler = ({ signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    const reply = post(started);
    await until(() => started.chat.callCount === 1);
    await Promise.all([started.edge.stop(), expect(reply).rejects.toThrow()]);
    await until(() => started.chat.links.callsInFlight === 0);
  });
});

test('metrics count requests by route, status and code, and key lookups by result', async () => {
  const started = await start();
  await post(started);
  await post(started);
  await fetch(`${started.apiUrl}/nope`);
  await sendRaw(started.apiPort, 'noise\r\n\r\n');
  const text = await (await fetch(`http://127.0.0.1:${started.edge.ports.admin}/metrics`)).text();
  expect(text).toContain('edge_requests_total{route="chat_completions",status="200",code=""} 2');
  expect(text).toContain('edge_requests_total{route="unknown",status="404",code="not_found"} 1');
  expect(text).toContain('edge_request_seconds_count{route="chat_completions"} 2');
  expect(text).toContain('edge_key_lookups_total{result="hit"} 1');
  expect(text).toContain('edge_requests_in_flight 0');
  expect(text).toContain('edge_unparsable_requests_total 1');
  expect(text).toContain('edge_quota_used{quota="api_bodies"} 0');
  expect(text).toMatch(/nodejs_eventloop_lag_p99_seconds/);
});
