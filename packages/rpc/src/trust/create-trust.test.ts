import { type Caller, callersOf, pairSetting, pairsOf, SERVICES } from '@gateway/callers';
import { createLogger, parseEnv, SettingsError } from '@gateway/process';
import { describe, expect, test } from '@jest/globals';
import { SERVICE_TOKEN_HEADER, serviceToken } from '../service-token';
import { createTrust } from './create-trust';
import { hasAlternativeName } from './peer-identity';
import { trustSettings } from './trust-settings';

const log = createLogger('trust-test', 'silent');
const secretOf = (caller: Caller, callee: string) => `the secret of ${caller} for ${callee}`;

/** Returns the settings of a service with a secret for each of its pairs. */
const pairSecrets = (service: Caller) =>
  Object.fromEntries(
    pairsOf(service).map(([caller, callee]) => [pairSetting(caller, callee), secretOf(caller, callee)]),
  );
const trustOf = (service: Caller, env: Record<string, string> = pairSecrets(service)) =>
  createTrust(service, parseEnv(trustSettings(service), env), log);
const withToken = (secret: string, caller: Caller) => ({
  header: (name: string) => (name === SERVICE_TOKEN_HEADER ? serviceToken(secret, caller) : ''),
  certificate: () => undefined,
});

describe('with a secret for each pair', () => {
  test.each(SERVICES)('%s accepts from each caller only the secret of that pair', (service) => {
    const trust = trustOf(service);
    for (const caller of callersOf(service)) {
      for (const other of callersOf(service)) {
        const peer = withToken(secretOf(other, service), caller);
        expect([caller, other, trust.isOneOf([caller], peer)]).toEqual([caller, other, caller === other]);
      }
    }
  });

  test('no secret that edge holds lets it act as the dashboard at billing', () => {
    const billing = trustOf('billing');
    for (const secret of Object.values(pairSecrets('edge'))) {
      for (const claimed of ['edge', 'dashboard'] as const) {
        expect(billing.isOneOf(['dashboard'], withToken(secret, claimed))).toBe(false);
      }
    }
    expect(billing.isOneOf(['edge'], withToken(secretOf('edge', 'billing'), 'edge'))).toBe(true);
  });

  test('both secrets of a rotation are accepted', () => {
    const env = {
      ...pairSecrets('storage'),
      SERVICE_SECRET_EDGE_TO_STORAGE: 'the former secret,the next secret of it',
    };
    const trust = trustOf('storage', env);
    for (const secret of ['the former secret', 'the next secret of it']) {
      expect(trust.isOneOf(['edge'], withToken(secret, 'edge'))).toBe(true);
    }
    expect(trust.isOneOf(['edge'], withToken('the former secret,the next secret of it', 'edge'))).toBe(false);
  });

  test('a call without a token is refused', () => {
    const nobody = { header: () => '', certificate: () => undefined };
    expect(trustOf('billing').isOneOf(callersOf('billing'), nobody)).toBe(false);
  });

  test('a service does not call another without its secret, and names the setting', () => {
    const { SERVICE_SECRET_CHAT_TO_BILLING: _, ...env } = pairSecrets('chat');
    expect(() => trustOf('chat', env).grpcClient('billing')).toThrow(
      new SettingsError(['SERVICE_SECRET_CHAT_TO_BILLING: required, unless TLS is on']),
    );
  });

  test('a service that could be called by nobody does not start', () => {
    expect(() => trustOf('catalog', {})).toThrow(/SERVICE_SECRET_CHAT_TO_CATALOG: required/);
  });
});

test('SERVICE_SECRET is the secret of pairs that have none, so that a release can be rolled out', () => {
  const shared = 'the secret of all services';
  const env = { SERVICE_SECRET: shared, SERVICE_SECRET_EDGE_TO_BILLING: secretOf('edge', 'billing') };
  const billing = trustOf('billing', env);
  expect(billing.isOneOf(['chat'], withToken(shared, 'chat'))).toBe(true);
  expect(billing.isOneOf(['edge'], withToken(shared, 'edge'))).toBe(false);
});

test.each([
  ['GRPC_TLS_CERT_FILE', 'set all or none'],
  ['GRPC_TLS_CA_FILE', 'set all or none'],
])('%s alone is refused', (name, problem) => {
  expect(() => trustOf('billing', { ...pairSecrets('billing'), [name]: '/nowhere' })).toThrow(problem);
});

test('a certificate file that does not exist is refused at the start', () => {
  const names = ['GRPC_TLS_CERT_FILE', 'GRPC_TLS_KEY_FILE', 'GRPC_TLS_CA_FILE'];
  const env = Object.fromEntries(names.map((name) => [name, '/nowhere']));
  expect(() => trustOf('billing', env)).toThrow(/GRPC_TLS_CERT_FILE.*ENOENT/);
});

test('an identity without the name of the service is refused', () => {
  const env = { ...pairSecrets('billing'), GRPC_TLS_IDENTITY: 'spiffe://model-gateway/billing' };
  expect(() => trustOf('billing', env)).toThrow('GRPC_TLS_IDENTITY: must contain {service}');
});

test.each([
  ['URI:spiffe://d/edge', 'URI:spiffe://d/edge', true],
  ['DNS:edge, URI:spiffe://d/edge', 'URI:spiffe://d/edge', true],
  ['URI:spiffe://d/edge', 'URI:spiffe://d/dashboard', false],
  ['URI:spiffe://d/edge/x', 'URI:spiffe://d/edge', false],
  ['DNS:*.svc', 'DNS:edge.svc', false],
  ['DNS:spiffe://d/edge', 'URI:spiffe://d/edge', false],
  // Node quotes a name that contains a separator.
  ['URI:"spiffe://d/x, URI:spiffe://d/edge, y"', 'URI:spiffe://d/edge', false],
  [undefined, 'URI:spiffe://d/edge', false],
])('the names %p contain %s: %p', (names, name, expected) => {
  expect(hasAlternativeName(names, name)).toBe(expected);
});
