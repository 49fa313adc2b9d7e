import { describe, expect, test } from '@jest/globals';
import { readSignature, tagSignature } from './signature-tag';

describe('a signature', () => {
  test.each(['abc', '', 'gw1.x', 'a.b.c'])('%p comes back as it went', (value) => {
    for (const wire of ['openai', 'anthropic', 'gemini'] as const) {
      expect(readSignature(tagSignature({ wire, value }), 'anthropic')).toEqual({ wire, value });
    }
  });

  test('without a tag belongs to the format it came in', () => {
    expect(readSignature('abc==', 'anthropic')).toEqual({ wire: 'anthropic', value: 'abc==' });
    expect(readSignature('gw1.nobody.abc', 'gemini')).toEqual({ wire: 'gemini', value: 'gw1.nobody.abc' });
  });
});
