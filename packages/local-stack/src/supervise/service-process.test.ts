import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { waitUntil } from '../engines/wait-until';
import { ServiceProcess, type ServiceProcessOptions } from './service-process';

jest.setTimeout(20_000);

/** Behaves like a service: listens on its port, reports ready, forwards signals to its parent, exits on `stop`. */
const SERVICE = `
const server = require('node:http').createServer((_, response) => response.end(String(process.pid)));
process.on('SIGTERM', () => process.send({ type: 'signal' }));
process.on('message', () => process.exit(0));
process.on('disconnect', () => process.exit(0));
server.listen(Number(process.env.HTTP_PORT), '127.0.0.1', () =>
  process.send({ type: 'ready', ports: { http: server.address().port } }));
`;

let folder: string;
const started: ServiceProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'service-process-'));
});
afterEach(async () => {
  for (const one of started.splice(0)) await one.stop(1_000);
  rmSync(folder, { recursive: true, force: true });
});

function create(script: string, options: Partial<ServiceProcessOptions> = {}): ServiceProcess {
  const path = join(folder, 'service.cjs');
  writeFileSync(path, script);
  const created = new ServiceProcess({
    name: 'fake',
    nodePath: process.execPath,
    nodeFlags: [],
    script: () => path,
    env: { HTTP_PORT: '0' },
    portSettings: { http: 'HTTP_PORT' },
    logFile: join(folder, 'fake.log'),
    autoRestart: true,
    log: () => {},
    onGiveUp: () => {},
    ...options,
  });
  started.push(created);
  return created;
}

const answer = async ({ ports }: ServiceProcess) =>
  Number(await (await fetch(`http://127.0.0.1:${ports.http}/`)).text());
const comesBack = async (service: ServiceProcess, pid: number | undefined) =>
  expect(await waitUntil(() => service.ready && service.pid !== pid, 10_000)).toBe(true);

describe('ServiceProcess', () => {
  test('restarts on the same port after a kill', async () => {
    const service = create(SERVICE);
    await service.start();
    const { pid, ports } = service;
    expect(await answer(service)).toBe(pid);
    await service.kill('SIGKILL');
    expect(service.ready).toBe(false);
    await comesBack(service, pid);
    expect(service.ports).toEqual(ports);
    expect(await answer(service)).toBe(service.pid);
  });

  test('stays down after a kill when restarts are off, until it is started', async () => {
    const service = create(SERVICE, { autoRestart: false });
    await service.start();
    await service.kill('SIGKILL');
    expect(service.pid).toBeUndefined();
    await service.start();
    expect(await answer(service)).toBe(service.pid);
  });

  test('restarts gracefully when only the service received a signal', async () => {
    const service = create(SERVICE);
    await service.start();
    const { pid } = service;
    await service.kill('SIGTERM');
    await comesBack(service, pid);
  });

  test('leaves a signal that reached the whole group to the supervisor', async () => {
    const ended: string[] = [];
    const service = create(SERVICE, { log: (message) => ended.push(message) });
    await service.start();
    await service.kill('SIGTERM');
    await service.stop(5_000);
    expect(service.pid).toBeUndefined();
    expect(ended).toEqual([]);
  });

  test('is killed when it does not stop in time', async () => {
    const service = create(SERVICE.replace("process.on('message', () => process.exit(0))", ''));
    await service.start();
    await service.stop(50);
    expect(service.pid).toBeUndefined();
  });

  test('reports the end of its log when it does not start', async () => {
    const service = create(`console.error('no such database'); process.exit(3)`);
    await expect(service.start()).rejects.toThrow(/^fake did not start \(exit 3 .*no such database$/s);
  });

  test('reports that its program cannot be run', async () => {
    const service = create(SERVICE, { nodePath: join(folder, 'missing') });
    await expect(service.start()).rejects.toThrow('could not be run');
  });
});
