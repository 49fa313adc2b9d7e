import { expect, test } from '@jest/globals';
import { defaultBaseUrl, optionProblems } from './provider-kinds';

test.each(['us-east-1', 'ap-southeast-2', 'us-gov-west-1', 'eusc-de-east-1'])(
  "Bedrock's runtime has an address in the region %s",
  (region) => {
    expect(optionProblems('bedrock', { region })).toEqual([]);
    expect(defaultBaseUrl('bedrock', { region })).toBe(`https://bedrock-runtime.${region}.amazonaws.com`);
  },
);

test.each([{}, { region: '' }, { region: 'example.com/' }, { region: 'us-east-1.x' }, { region: 1 }])(
  'Bedrock refuses the options %j',
  (options) =>
    expect(optionProblems('bedrock', options)).toEqual([expect.stringContaining('options.region: ')]),
);

test('Bedrock refuses options that it does not have', () =>
  expect(optionProblems('bedrock', { region: 'us-east-1', zone: 'a' })).toHaveLength(1));

test('there is no address without a region', () => expect(defaultBaseUrl('bedrock', {})).toBeUndefined());
