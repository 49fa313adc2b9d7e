import { describe, expect, test } from '@jest/globals';
import { readSignature, tagSignature } from './signature-tag';

describe('a signature', () => {
  test.each(['abc', '', 'gw1.x', 'a.b.c'])('%p survives a round trip', (value) => {
    for (const wire of ['openai', 'anthropic', 'gemini', 'bedrock'] as const) {
      expect(readSignature(tagSignature({ wire, value }), 'anthropic')).toEqual({ wire, value });
    }
  });

  test('without a tag belongs to the format of the client', () => {
    expect(readSignature('abc==', 'anthropic')).toEqual({ wire: 'anthropic', value: 'abc==' });
    expect(readSignature('gw1.nobody.abc', 'gemini')).toEqual({ wire: 'gemini', value: 'gw1.nobody.abc' });
  });
});
