import { GatewayError } from '@gateway/errors';
import { expect, test } from '@jest/globals';
import type { MediaSource } from '../../domain/conversation';
import { writeInput } from './write-input';

const base64 = (mediaType: string, data = 'AAAA'): MediaSource => ({ kind: 'base64', mediaType, data });
const url: MediaSource = { kind: 'url', url: 'https://a.example/x' };
const refusal = (write: () => unknown) => {
  try {
    write();
  } catch (error) {
    return error instanceof GatewayError ? `${error.code}: ${error.detail}` : error;
  }
  return undefined;
};

test('images as bytes and as URLs', () =>
  expect(
    writeInput([
      { kind: 'image', source: base64('image/JPG') },
      { kind: 'image', source: url, detail: 'high', cache: { ttl: '1h' } },
    ]),
  ).toEqual([
    { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'AAAA' } },
    {
      type: 'image',
      source: { type: 'url', url: 'https://a.example/x' },
      cache_control: { type: 'ephemeral', ttl: '1h' },
    },
  ]));

test('documents: PDFs, URLs, text, and base64 text', () =>
  expect(
    writeInput([
      { kind: 'document', source: base64('application/pdf'), title: 'T' },
      { kind: 'document', source: url, title: ' ' },
      { kind: 'document', source: { kind: 'text', text: 'plain' } },
      { kind: 'document', source: base64('text/csv; charset=utf-8', 'w6Q=') },
    ]),
  ).toEqual([
    { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' }, title: 'T' },
    { type: 'document', source: { type: 'url', url: 'https://a.example/x' } },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'plain' } },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'ä' } },
  ]));

test("a title is cut to Anthropic's maximum length", () => {
  const [document] = writeInput([{ kind: 'document', source: url, title: 'x'.repeat(600) }]);
  expect(document).toMatchObject({ title: 'x'.repeat(500) });
});

test.each([
  ['an image of another kind', { kind: 'image', source: base64('image/tiff') }, 'images must be'],
  [
    'a document of another kind',
    { kind: 'document', source: base64('application/zip') },
    'documents must be',
  ],
  ['an empty document', { kind: 'document', source: { kind: 'text', text: ' ' } }, 'a document is empty'],
  ['audio', { kind: 'audio', source: base64('audio/wav') }, 'audio is not supported by this model'],
] as const)('%s is refused', (_, part, detail) =>
  expect(refusal(() => writeInput([part]))).toMatch(`invalid_request: ${detail}`),
);
