import { expect, test } from '@jest/globals';
import { refuseAudio } from './whole-contents';

const AUDIO = { inlineData: { mimeType: 'audio/mp3', data: '' } };

test.each<[string, unknown]>([
  ['a list of contents', [{ parts: [AUDIO] }]],
  ['one content', { parts: [AUDIO] }],
  ['snake case', [{ parts: [{ file_data: { mime_type: 'audio/wav', file_uri: 'https://x' } }] }]],
  ['the result of a function', [{ parts: [{ functionResponse: { name: 'f', parts: [AUDIO] } }] }]],
])('audio in %s is refused unless the model has a price for it', (_, contents) => {
  expect(() => refuseAudio({ contents }, new Set())).toThrow(
    expect.objectContaining({ code: 'invalid_request' }),
  );
  expect(() => refuseAudio({ contents }, new Set(['audio']))).not.toThrow();
});
