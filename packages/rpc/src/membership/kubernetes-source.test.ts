import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@gateway/testing';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { kubernetesSource } from './kubernetes-source';
import type { Instance } from './membership';

const SLICES_PATH =
  '/apis/discovery.k8s.io/v1/namespaces/prod/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dchat';

interface Endpoint {
  addresses: string[];
  conditions?: object;
  zone?: string;
}

const slice = (name: string, endpoints: Endpoint[], addressType = 'IPv4') => ({
  metadata: { name },
  addressType,
  ports: [{ name: 'grpc', port: 7103 }],
  endpoints,
});

/** The API of a cluster, as far as the source uses it. */
let api: http.Server;
let items: object[];
let status = 200;
let watches: http.ServerResponse[];
let seen: { path: string; token: string | undefined }[];
let stop: (() => void) | undefined;
beforeEach(async () => {
  [items, watches, seen, status] = [[], [], [], 200];
  api = http.createServer((request, response) => {
    seen.push({ path: `${request.url}`, token: request.headers.authorization });
    response.writeHead(status);
    if (!request.url?.includes('&watch=1')) {
      response.end(JSON.stringify({ metadata: { resourceVersion: '7' }, items }));
    } else {
      response.flushHeaders();
      watches.push(response);
    }
  });
  api.listen(0, '127.0.0.1');
  await once(api, 'listening');
});
afterEach(() => {
  stop?.();
  api.closeAllConnections();
  api.close();
});

function follow(port = 'grpc') {
  const reports: { addresses: string[]; instances: readonly Instance[]; failure: string | undefined }[] = [];
  const { port: apiPort } = api.address() as AddressInfo;
  const source = kubernetesSource(`k8s://prod/chat:${port}`, {
    origin: `http://127.0.0.1:${apiPort}`,
    token: async () => `token ${seen.length}\n`,
    ca: async () => undefined,
  });
  stop = source((instances, failure) => {
    reports.push({
      addresses: instances.map(({ address }) => address),
      instances,
      failure: failure?.message,
    });
  });
  return {
    last: (addresses: string[]) => until(() => `${reports.at(-1)?.addresses}` === `${addresses}`),
    reports,
  };
}

const send = (type: string, object: object) => watches.at(-1)?.write(`${JSON.stringify({ type, object })}\n`);

test('reports the ready endpoints with their zones, then each change', async () => {
  items = [
    slice('a', [
      { addresses: ['10.0.0.1'], conditions: { ready: true, serving: true, terminating: false }, zone: 'z1' },
      { addresses: ['10.0.0.2'], conditions: { ready: false, serving: true, terminating: true } },
    ]),
    slice('b', [{ addresses: ['10.0.0.3'], conditions: {} }]),
    slice('c', [{ addresses: ['fd00::1'] }], 'IPv6'),
  ];
  const { last, reports } = follow();
  await last(['10.0.0.1:7103', '10.0.0.3:7103']);
  expect(reports[0]?.instances[0]).toEqual({ address: '10.0.0.1:7103', zone: 'z1' });
  await until(() => watches.length === 1);
  send('MODIFIED', slice('a', [{ addresses: ['10.0.0.4'] }]));
  await last(['10.0.0.4:7103', '10.0.0.3:7103']);
  send('DELETED', slice('b', []));
  await last(['10.0.0.4:7103']);
  expect(seen).toEqual([
    { path: SLICES_PATH, token: 'Bearer token 0' },
    { path: `${SLICES_PATH}&watch=1&timeoutSeconds=30&resourceVersion=7`, token: 'Bearer token 1' },
  ]);
});

test('reads the list again when a watch ends, or its version is too old', async () => {
  const { last } = follow('7000');
  await until(() => watches.length === 1);
  items = [slice('a', [{ addresses: ['10.0.0.1'] }])];
  watches[0]?.end();
  await last(['10.0.0.1:7000']);
  await until(() => watches.length === 2);
  items = [slice('a', [{ addresses: ['10.0.0.2'] }])];
  send('ERROR', { code: 410 });
  await last(['10.0.0.2:7000']);
});

test('reports that the API refuses, and asks again', async () => {
  status = 403;
  items = [slice('a', [{ addresses: ['10.0.0.1'] }])];
  const { last, reports } = follow();
  await until(() => reports.at(-1)?.failure === 'the Kubernetes API answered 403');
  status = 200;
  await last(['10.0.0.1:7103']);
});

test('asks less and less often while the API refuses', async () => {
  status = 429;
  const { reports } = follow();
  await until(() => reports.length === 1);
  await sleep(4_000);
  // With pauses of 0.25 to 0.75 s there would be 6 at least.
  expect(seen.length).toBeLessThan(6);
  expect(reports.every(({ addresses, failure }) => addresses.length === 0 && failure)).toBe(true);
});
