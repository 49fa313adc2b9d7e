import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MalformedEvent, parseUsageEvent } from './usage-event';

const event = {
  requestId: '01938f2e-7b5a-7c4d-8e6f-0123456789ab',
  accountId: 'acct_1',
  keyId: 'key_1',
  outcome: 'USAGE_OUTCOME_SETTLED',
  costNano: '123456789012345',
};

test('absent fields of a usage event are zero', () => {
  expect(parseUsageEvent(event)).toEqual({
    ...event,
    outcome: 'settled',
    costNano: 123_456_789_012_345n,
    priceVersion: 0n,
    model: '',
    endpoint: '',
    provider: '',
    status: 0,
    errorCode: '',
    inputTokens: 0n,
    cacheReadTokens: 0n,
    cacheWriteTokens: 0n,
    outputTokens: 0n,
    reasoningTokens: 0n,
    images: 0,
    videoMs: 0n,
    usageSource: 'none',
    streamed: false,
    firstByteMs: 0,
    admittedMs: 0,
    startedAtMs: 0,
    endedAtMs: 0,
    taskId: '',
    requestedModel: '',
  });
});

test('counts of units are kept as JSON', () => {
  const { units } = parseUsageEvent({ ...event, tokens: { units: { web_search: '3' } } });
  expect(units).toBe('{"web_search":3}');
});

describe('rejects a malformed usage event', () => {
  test.each([
    ['null', null],
    ['an array', [event]],
    ['no request id', { ...event, requestId: undefined }],
    ['a request id that is not a UUID', { ...event, requestId: 'abc' }],
    ['no outcome', { ...event, outcome: undefined }],
    ['an unknown outcome', { ...event, outcome: 'USAGE_OUTCOME_FREE' }],
    ['an outcome named like a prototype member', { ...event, outcome: 'toString' }],
    ['a negative cost', { ...event, costNano: '-1' }],
    ['a fractional cost', { ...event, costNano: 1.5 }],
    ['a cost above a billion USD', { ...event, costNano: '1000000000000000001' }],
    ['a cost that is not a number', { ...event, costNano: 'ten' }],
    ['a number above the safe integers', { ...event, costNano: 1e21 }],
    ['a NUL in a text', { ...event, model: 'a\0b' }],
    ['a lone surrogate', { ...event, model: '\ud800' }],
    ['a text above 512 characters', { ...event, model: 'm'.repeat(513) }],
    ['tokens that are not an object', { ...event, tokens: 7 }],
    ['units that are not an object', { ...event, tokens: { units: [1] } }],
    ['a unit whose name is not a word', { ...event, tokens: { units: { 'a b': '1' } } }],
    ['a count of units that is not a number', { ...event, tokens: { units: { web_search: 'x' } } }],
    ['an image count above 32 bits', { ...event, images: 4_294_967_296 }],
    ['a negative video duration', { ...event, videoMs: '-1' }],
    ['an end time above the maximum date', { ...event, endedAtMs: '8640000000000001' }],
  ])('%s', (_, value) => {
    expect(() => parseUsageEvent(value)).toThrow(MalformedEvent);
  });
});

test('any value is either parsed as a usage event or rejected as malformed', () => {
  const field = fc.oneof(fc.anything(), fc.constantFrom(...Object.values(event)));
  const keys = fc.constantFrom(...Object.keys(parseUsageEvent(event)), 'tokens');
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.dictionary(keys, field)), (value) => {
      try {
        parseUsageEvent(value);
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedEvent);
      }
    }),
  );
});
