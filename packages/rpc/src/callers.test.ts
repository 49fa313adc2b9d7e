import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { ServiceName } from '@gateway/callers';
import { CALLERS, calleesOf, callersOf, callersOfPath, SERVICES } from '@gateway/callers';
import type { GrpcObject, ServiceClientConstructor } from '@grpc/grpc-js';
import { describe, expect, test } from '@jest/globals';
import { loadService } from './load-service';

const PROTOS = path.join(path.dirname(require.resolve('@gateway/proto/package.json')), 'gateway');

/** Returns the paths of all RPCs that a package of the contract declares. */
function pathsOf(service: string): string[] {
  const { gateway } = loadService<{ gateway: GrpcObject }>(service as ServiceName);
  const { v1 } = gateway[service] as { v1: GrpcObject };
  return Object.values(v1)
    .filter((value): value is ServiceClientConstructor => typeof value === 'function' && 'service' in value)
    .flatMap(({ service: definition }) => Object.values(definition).map((method) => method.path));
}

/** Packages with a file of their name declare a service; `common` and `edge` have messages only. */
const packages = readdirSync(PROTOS).filter((name) =>
  readdirSync(path.join(PROTOS, name, 'v1')).includes(`${name}.proto`),
);

test('every package of the contract that has RPCs has rules', () => {
  const withRpcs = packages.filter((name) => !['common', 'edge'].includes(name));
  expect([...withRpcs].sort()).toEqual([...SERVICES].sort());
});

describe.each(SERVICES)('%s', (service) => {
  test('has a rule with a caller for every RPC, and none for an RPC that does not exist', () => {
    const paths = pathsOf(service);
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((rpc) => !callersOfPath(rpc)?.length)).toEqual([]);
    const names = paths.map((rpc) => rpc.split('/').at(-1));
    expect(Object.keys(CALLERS[service]).filter((name) => !names.includes(name))).toEqual([]);
  });
});

test('only the dashboard may move money or manage keys and accounts', () => {
  const methods = Object.keys(CALLERS.billing).filter((name) =>
    /^(Create|Clear|Void|Update|Delete|Set|Rotate|Regenerate|Revoke|OptIn)/.test(name),
  );
  expect(methods).toEqual(
    expect.arrayContaining(['CreateTopup', 'ClearTopup', 'VoidTopup', 'CreateAdjustment']),
  );
  for (const name of methods) {
    expect([name, callersOfPath(`/gateway.billing.v1.BillingService/${name}`)]).toEqual([
      name,
      ['dashboard'],
    ]);
  }
});

test('knows the arrows between the services', () => {
  expect(calleesOf('edge')).toEqual(['billing', 'chat', 'media', 'storage', 'dashboard']);
  expect(calleesOf('catalog')).toEqual([]);
  expect(callersOf('chat')).toEqual(['edge', 'storage', 'dashboard']);
});

test.each([
  '/gateway.billing.v1.BillingService/constructor',
  '/gateway.toString.v1.BillingService/Deliver',
  '/grpc.health.v1.Health/Check',
  '',
])('has no rule for %s', (rpc) => {
  expect(callersOfPath(rpc)).toBeUndefined();
});
