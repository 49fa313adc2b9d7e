import { describe, expect, test } from '@jest/globals';
import {
  addresses,
  discoverySettings,
  parseEnv,
  SettingsError,
  signingSecrets,
  signingSettings,
} from './settings';

const SECRET = 'sixteen bytes ok';

const read = (value: string) => signingSecrets(parseEnv(signingSettings, { SIGNING_SECRET: value }));

describe('SIGNING_SECRET', () => {
  test('is a list of secrets of at least 16 bytes each', () => {
    expect(read(SECRET)).toEqual([SECRET]);
    expect(read(`${SECRET},another of sixteen`)).toEqual([SECRET, 'another of sixteen']);
    // Eight characters of two bytes.
    expect(read('éééééééé')).toEqual(['éééééééé']);
  });

  test.each([
    ['a trailing comma', `${SECRET},`, 'entry 2 of 2 is empty'],
    ['a leading comma', `,${SECRET}`, 'entry 1 of 2 is empty'],
    ['a doubled comma', `${SECRET},,${SECRET}`, 'entry 2 of 3 is empty'],
    ['a short entry in a long list', `${SECRET},short`, 'entry 2 of 2 is shorter than 16 bytes'],
    ['a short secret', 'fifteen bytes..', 'entry 1 of 1 is shorter than 16 bytes'],
  ])(
    'is refused with %s; the error names the position of the entry, not its value',
    (_what, value, problem) => {
      expect(() => read(value)).toThrow(new SettingsError([`SIGNING_SECRET: ${problem}`]));
    },
  );

  test('is SERVICE_SECRET if absent, which signed in the release before', () => {
    expect(signingSecrets({ SERVICE_SECRET: [SECRET] })).toEqual([SECRET]);
    expect(signingSecrets({ SIGNING_SECRET: ['own'], SERVICE_SECRET: [SECRET] })).toEqual(['own']);
    expect(() => signingSecrets({})).toThrow(new SettingsError(['SIGNING_SECRET: required']));
  });
});

describe('addresses of services', () => {
  const readAddresses = (CHAT_ADDR: string) => parseEnv({ CHAT_ADDR: addresses() }, { CHAT_ADDR }).CHAT_ADDR;

  test('are a list of hosts with ports, names of SRV records, and services of Kubernetes', () => {
    const entries = [
      'chat:7103',
      '127.0.0.2:7103',
      '[::1]:7103',
      'srv://_grpc._tcp.chat.test',
      'k8s://prod/chat:grpc',
    ];
    expect(readAddresses(entries.join(', '))).toEqual(entries);
  });

  test.each(['chat', 'chat:7103,', 'http://chat:7103', '::1:7103', 'srv://chat:7103', 'k8s://chat:7103'])(
    'are refused with %s',
    (value) => {
      expect(() => readAddresses(value)).toThrow(SettingsError);
    },
  );

  test.each(['127.0.0.1', '10.0.0.10:53,[fd00::10]:53'])(
    'are asked for at the DNS servers %s',
    (DNS_SERVERS) => {
      const settings = parseEnv(discoverySettings, { DNS_SERVERS });
      expect(settings.DNS_SERVERS).toEqual(DNS_SERVERS.split(','));
    },
  );

  test('are not asked for at a DNS server that has no IP address', () => {
    expect(() => parseEnv(discoverySettings, { DNS_SERVERS: 'dns.test' })).toThrow(SettingsError);
  });
});
