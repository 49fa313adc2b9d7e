import { expect, test } from '@jest/globals';
import { splitOptions } from './connection-options';
import { optionProblems, PROVIDER_KINDS } from './provider-kinds';

const REQUIRED: Readonly<Record<string, object>> = {
  bedrock: { region: 'us-east-1' },
  'vertex-anthropic': { project: 'p' },
};

test.each(PROVIDER_KINDS)('a provider of kind %s may have timeouts and a proxy', (kind) => {
  const options = { timeouts: { connect_ms: 500 }, proxy: 'http://10.0.0.9:3128', ...REQUIRED[kind] };
  expect(optionProblems(kind, options)).toEqual([]);
  expect(splitOptions(options)).toEqual({
    connection: { timeouts: { connect_ms: 500 }, proxy: 'http://10.0.0.9:3128' },
    ofKind: REQUIRED[kind] ?? {},
  });
});

test.each([
  [{ proxy: 'socks5://h' }, 'options.proxy: must be an http or https URL without credentials'],
  [{ proxy: 'http://a:b@h' }, 'options.proxy: must be an http or https URL without credentials'],
  [{ timeouts: { connect_ms: 0 } }, 'options.timeouts.connect_ms: Too small: expected number to be >=1'],
  [{ links: 'fetch' }, 'options.links: Invalid option: expected one of "pass"|"resolve"|"refuse"'],
  [{ timeouts: { total_ms: 1 } }, 'options.timeouts: Unrecognized key: "total_ms"'],
])('%j is refused', (options, problem) => {
  expect(optionProblems('openai', options)).toEqual([problem]);
});
