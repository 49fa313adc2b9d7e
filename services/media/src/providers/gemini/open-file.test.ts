import { expect, test } from '@jest/globals';
import { type FakeReply, FakeUpstream } from '../../testing/fake-upstream';
import { CALL } from '../video-protocol.fixture';
import { openFile } from './open-file';

const base = new URL('https://api.google.test');
const FILE = 'https://api.google.test/v1beta/files/abc:download?alt=media';
const video: FakeReply = {
  headers: { 'content-type': 'video/mp4', 'content-length': '3' },
  bytes: Buffer.from('mp4'),
};
const movedTo = (location: string): FakeReply => ({ status: 302, headers: { location }, json: {} });

async function open(url: string, ...replies: FakeReply[]) {
  const upstream = new FakeUpstream(...replies);
  const { body, ...content } = await openFile(upstream, { url, base, key: { 'x-goog-api-key': 'k' } }, CALL);
  const pieces: Buffer[] = [];
  for await (const piece of body) pieces.push(piece);
  return { ...content, text: Buffer.concat(pieces).toString(), sent: upstream.sent };
}

const rejection = (...args: Parameters<typeof open>) =>
  expect(open(...args)).rejects.toMatchObject({ failure: { kind: 'broken' } });

test('a file is opened with our key', async () => {
  expect(await open(FILE, video)).toMatchObject({
    mime: 'video/mp4',
    bytes: 3,
    text: 'mp4',
    sent: [{ method: 'GET', url: FILE, headers: { 'x-goog-api-key': 'k' } }],
  });
});

test('storage that it leads to is not shown the key', async () => {
  const { sent, text } = await open(FILE, movedTo('https://storage.elsewhere.test/a?sig=1'), video);
  expect(text).toBe('mp4');
  expect(sent.map(({ url, headers }) => [url, headers])).toEqual([
    [FILE, { 'x-goog-api-key': 'k' }],
    ['https://storage.elsewhere.test/a?sig=1', {}],
  ]);
});

test('nor is another host of its site', async () => {
  const { sent } = await open(FILE, movedTo('https://storage.google.test/a?sig=1'), video);
  expect(sent.map(({ headers }) => headers)).toEqual([{ 'x-goog-api-key': 'k' }, {}]);
});

test('a link that is not the provider’s own is not opened', async () => {
  await rejection('https://evil.example/steal', video);
  await rejection('http://api.google.test/plain', video);
  await rejection(FILE, movedTo('http://127.0.0.1/'), video);
  await rejection(FILE, movedTo('http://169.254.169.254/latest'), video);
});

test('redirections have an end', () =>
  rejection(FILE, movedTo(FILE), movedTo(FILE), movedTo(FILE), movedTo(FILE)));

test('a refusal is one, and what calls itself a page is none', async () => {
  await expect(open(FILE, { status: 403, json: {} })).rejects.toMatchObject({ failure: { status: 403 } });
  const page = { headers: { 'content-type': 'text/html' }, bytes: Buffer.from('<script>') };
  expect(await open(FILE, page)).toMatchObject({ mime: 'application/octet-stream' });
});
