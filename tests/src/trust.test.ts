import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type PeerCertificate } from 'node:tls';
import { type Caller, pairSetting, pairsOf } from '@gateway/callers';
import { certificateSettings, writeDevCertificates } from '@gateway/local-stack';
import { createLogger, parseEnv } from '@gateway/process';
import type { ProtoGrpcType } from '@gateway/proto/generated/billing';
import {
  callUnary,
  createGrpcClient,
  createTrust,
  loadService,
  type Trust,
  trustSettings,
} from '@gateway/rpc';
import { credentials, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { type Customer, type System, startSystem } from './support/system';

jest.setTimeout(120_000);

const { BillingService } = loadService<ProtoGrpcType>('billing').gateway.billing.v1;
const log = createLogger('trust-test', 'silent');
const TIMEOUT = { timeoutMs: 5_000 };

/** RPCs that move money or make keys, as edge would call them for an account. */
const MONEY = (accountId: string) =>
  [
    ['CreateTopup', { accountId, amountNano: '5000000000' }],
    ['ClearTopup', { id: 'topup' }],
    ['CreateAdjustment', { accountId, amountNano: '5000000000' }],
    ['CreateKey', { accountId, name: 'stolen' }],
    ['UpdateAccountLimits', { id: accountId }],
  ] as const;

const trustOf = (caller: Caller, settings: Record<string, string>): Trust =>
  createTrust(caller, parseEnv(trustSettings(caller), settings), log);

/** Returns the outcome of a call to billing: `OK`, a code of the error table or the gRPC status of a refusal. */
async function callBilling(system: System, trust: Trust, method: string, request: object): Promise<string> {
  const client = createGrpcClient(BillingService, {
    addresses: [system.stack.grpcAddress('billing')],
    trust,
  });
  try {
    const rpc = client[method as 'CreateTopup'];
    await callUnary(client, rpc, request, TIMEOUT);
    return 'OK';
  } catch (error) {
    const { code, cause } = error as { code: string; cause?: { code: number } };
    return cause ? (status[cause.code] ?? code) : code;
  } finally {
    client.close();
  }
}

async function outcomes(system: System, trust: Trust, customer: Customer): Promise<string[]> {
  const results: string[] = [];
  for (const [method, request] of MONEY(customer.id)) {
    results.push(`${method} ${await callBilling(system, trust, method, request)}`);
  }
  return results;
}

const refused = (customer: Customer) => MONEY(customer.id).map(([method]) => `${method} UNAUTHENTICATED`);

function post(system: System, customer: Customer, path: string, body: object): Promise<Response> {
  return fetch(`${system.stack.apiUrl}/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(60_000),
  });
}

const chat = (content: string, more: object = {}) => ({
  model: 'sim/chat',
  messages: [{ role: 'user', content }],
  ...more,
});

describe('with a secret for each pair of services', () => {
  let system: System;
  let customer: Customer;
  beforeAll(async () => {
    system = await startSystem();
    customer = await system.provision();
  });
  afterAll(() => system?.stop());

  test('edge may resolve keys, and may not call RPCs that move money or make keys', async () => {
    const edge = trustOf('edge', system.stack.trustSettings('edge'));
    expect(await callBilling(system, edge, 'ResolveKey', { key: customer.apiKey })).toBe('OK');
    expect(await outcomes(system, edge, customer)).toEqual(refused(customer));
  });

  test('no secret of edge is that of the dashboard, or of another caller of billing', async () => {
    const held = [...new Set(Object.values(system.stack.trustSettings('edge')))];
    expect(held).toHaveLength(5);
    for (const caller of ['dashboard', 'chat', 'media', 'storage'] as const) {
      for (const secret of held) {
        const impostor = trustOf(caller, { SERVICE_SECRET: secret });
        expect(await callBilling(system, impostor, 'CreateTopup', { accountId: customer.id })).toBe(
          'UNAUTHENTICATED',
        );
        expect(await callBilling(system, impostor, 'Heartbeat', {})).toBe('UNAUTHENTICATED');
      }
    }
    expect((await system.dashboard.balance(customer.token)).balance).toBe(10);
  });

  test('a service other than edge does not reach the HTTP server of the dashboard', async () => {
    const chatTrust = trustOf('chat', { SERVICE_SECRET: 'not a secret of edge' });
    const url = system.stack.httpUrl('dashboard');
    const { headers } = chatTrust.httpClient('dashboard', url, {});
    expect((await fetch(`${url}/api/v1/models`, { headers })).status).toBe(404);
  });
});

describe('with certificates', () => {
  const STREAMS = 8;
  /** Longer than two readings of the files. */
  const STREAM_CHUNKS = 120;
  const CHUNK_DELAY_MS = 100;
  const DASHBOARD_SECRETS = Object.fromEntries(
    pairsOf('dashboard').map((pair) => [pairSetting(...pair), 'secret-of-the-dashboard-0123456789abcdef']),
  );

  let certificates: string;
  let otherAuthority: string;
  let system: System;
  let customer: Customer;
  beforeAll(async () => {
    certificates = mkdtempSync(join(tmpdir(), 'certificates-'));
    otherAuthority = mkdtempSync(join(tmpdir(), 'certificates-'));
    await Promise.all([writeDevCertificates(certificates), writeDevCertificates(otherAuthority)]);
    // Billing knows the dashboard's secret, too.
    system = await startSystem({ certificates, settings: { billing: DASHBOARD_SECRETS } });
    customer = await system.provision();
  });
  afterAll(async () => {
    await system?.stop();
    for (const directory of [certificates, otherAuthority]) rmSync(directory, { recursive: true });
  });

  const ca = () => readFileSync(join(certificates, 'ca.crt'));

  /** Returns the certificate that billing shows to new connections. */
  function billingCertificate(): Promise<PeerCertificate> {
    const [host = '', port] = system.stack.grpcAddress('billing').split(':');
    const file = (name: string) => readFileSync(join(certificates, 'edge', name));
    return new Promise((resolve, reject) => {
      const socket = connect({
        host,
        port: Number(port),
        ca: ca(),
        cert: file('tls.crt'),
        key: file('tls.key'),
        ALPNProtocols: ['h2'],
        checkServerIdentity: () => undefined,
      });
      socket.once('error', reject);
      socket.once('secureConnect', () => {
        resolve(socket.getPeerCertificate());
        socket.destroy();
      });
    });
  }

  test('calls of each kind are answered', async () => {
    expect((await system.dashboard.balance(customer.token)).balance).toBe(10);
    expect((await post(system, customer, 'chat/completions', chat('Hello'))).status).toBe(200);
    const stream = await post(system, customer, 'chat/completions', chat('Hello', { stream: true }));
    expect(await stream.text()).toContain('data: [DONE]');
    const image = await post(system, customer, 'images/generations', { model: 'sim/image', prompt: 'A cat' });
    expect(image.status).toBe(200);
    const queued = await post(system, customer, 'responses', {
      model: 'sim/chat',
      input: 'Hello',
      background: true,
    });
    const { id } = (await queued.json()) as { id: string };
    const headers = { authorization: `Bearer ${customer.apiKey}` };
    const deadlineMs = Date.now() + 20_000;
    let state = 'queued';
    while (state !== 'completed') {
      if (Date.now() > deadlineMs) throw new Error(`the response is still ${state}`);
      await sleep(50);
      const response = await fetch(`${system.stack.apiUrl}/v1/responses/${id}`, { headers });
      state = ((await response.json()) as { status: string }).status;
    }
    await system.settled(customer);
    expect(await system.drift()).toBe(0);
  });

  test('certificates are renewed without a failed call or a cut stream', async () => {
    const { serialNumber } = await billingCertificate();
    const directive = JSON.stringify({ chunks: STREAM_CHUNKS, chunk_delay_ms: CHUNK_DELAY_MS });
    const streams = Array.from({ length: STREAMS }, async () => {
      const body = chat(`[[sim ${directive}]]`, { stream: true });
      return (await post(system, customer, 'chat/completions', body)).text();
    });
    await writeDevCertificates(certificates);
    const deadlineMs = Date.now() + 20_000;
    do {
      if (Date.now() > deadlineMs) throw new Error('billing still shows the earlier certificate');
      const answers = await Promise.all([
        post(system, customer, 'chat/completions', chat('Hello')),
        fetch(`${system.stack.dashboardUrl}/api/v1/billing/balance`, {
          headers: { authorization: `Bearer ${customer.token}` },
        }),
      ]);
      expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
      await sleep(50);
    } while ((await billingCertificate()).serialNumber === serialNumber);
    const expiry = Date.parse((await billingCertificate()).valid_to) / 1000;
    expect(await system.metric('billing', 'tls_certificate_expiry_timestamp_seconds')).toBe(expiry);
    for (const text of await Promise.all(streams)) expect(text).toContain('data: [DONE]');
    await system.settled(customer);
    expect(await system.drift()).toBe(0);
  });

  test("edge's certificate may resolve keys, and may not call RPCs that move money or make keys", async () => {
    const edge = trustOf('edge', system.stack.trustSettings('edge'));
    expect(await callBilling(system, edge, 'ResolveKey', { key: customer.apiKey })).toBe('OK');
    expect(await outcomes(system, edge, customer)).toEqual(refused(customer));
  });

  test("a token does not help: with edge's certificate, the secret of the dashboard is worth nothing", async () => {
    const edge = trustOf('edge', system.stack.trustSettings('edge'));
    const token = trustOf('dashboard', DASHBOARD_SECRETS);
    const both: Trust = {
      ...edge,
      grpcClient: (callee) => {
        const { options, credentials: ofEdge } = edge.grpcClient(callee);
        return { credentials: ofEdge, options: { ...options, ...token.grpcClient(callee).options } };
      },
    };
    expect(await outcomes(system, both, customer)).toEqual(refused(customer));
  });

  test("the dashboard's certificate is what tops up", async () => {
    const dashboard = trustOf('dashboard', system.stack.trustSettings('dashboard'));
    expect(await callBilling(system, dashboard, 'GetAccount', { id: customer.id })).toBe('OK');
  });

  test('a client without a certificate, or with one of another authority, gets no connection', async () => {
    const dashboard = trustOf('dashboard', system.stack.trustSettings('dashboard'));
    const { options } = dashboard.grpcClient('billing');
    const anonymous: Trust = {
      ...dashboard,
      grpcClient: () => ({
        credentials: credentials.createSsl(ca(), null, null, { checkServerIdentity: () => undefined }),
        options,
      }),
    };
    const foreign = trustOf('dashboard', {
      ...certificateSettings(otherAuthority, 'dashboard'),
      GRPC_TLS_CA_FILE: join(certificates, 'ca.crt'),
    });
    const withoutTls = trustOf('dashboard', { SERVICE_SECRET: system.stack.secrets.serviceSecret });
    for (const trust of [anonymous, foreign, withoutTls]) {
      expect(await callBilling(system, trust, 'GetAccount', { id: customer.id })).toBe('UNAVAILABLE');
    }
  });

  test('a client refuses a server that shows the certificate of another service', async () => {
    const dashboard = trustOf('dashboard', system.stack.trustSettings('dashboard'));
    const misled: Trust = { ...dashboard, grpcClient: () => dashboard.grpcClient('catalog') };
    expect(await callBilling(system, misled, 'GetAccount', { id: customer.id })).toBe('UNAVAILABLE');
  });

  test("the dashboard's HTTP server answers edge only", async () => {
    const url = `${system.stack.httpUrl('dashboard')}/openapi.json`;
    const statusFor = (agent: https.Agent) =>
      new Promise<string>((resolve) => {
        https
          .get(url, { agent }, (response) => resolve(String(response.statusCode)))
          .on('error', () => resolve('no connection'));
      });
    const agentOf = (caller: Caller) => {
      const trust = trustOf(caller, system.stack.trustSettings(caller));
      return trust.httpClient('dashboard', url, {}).agent as https.Agent;
    };
    const anonymous = new https.Agent({ ca: ca(), checkServerIdentity: () => undefined });
    expect(await statusFor(agentOf('edge'))).toBe('200');
    expect(await statusFor(agentOf('chat'))).toBe('404');
    expect(await statusFor(anonymous)).toBe('no connection');
  });
});
