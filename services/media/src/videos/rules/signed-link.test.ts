import { expect, test } from '@jest/globals';
import { LinkSigner } from './signed-link';

const NOW_MS = 1_800_000_000_000;
const video = { taskId: 'task_0190b5a0-0000-7000-8000-000000000000', index: 0, expiresAtMs: NOW_MS + 60_000 };
const signer = new LinkSigner(['a secret of today', 'a secret of yesterday']);
const token = signer.sign(video);

test('a signed URL opens its video until it expires', () => {
  expect(signer.open(token, NOW_MS)).toEqual(video);
  expect(signer.open(token, video.expiresAtMs - 1)).toEqual(video);
  expect(signer.open(token, video.expiresAtMs)).toBeUndefined();
});

test('a URL signed with an older secret is valid while that secret is configured', () => {
  const old = new LinkSigner(['a secret of yesterday']);
  expect(signer.open(old.sign(video), NOW_MS)).toEqual(video);
  expect(old.open(token, NOW_MS)).toBeUndefined();
});

test('no part of a signed URL can be changed', () => {
  for (let at = 0; at < token.length; at++) {
    const changed = `${token.slice(0, at)}${token[at] === '1' ? '2' : '1'}${token.slice(at + 1)}`;
    // The last character of a MAC has unused bits.
    if (at < token.length - 1) expect(signer.open(changed, NOW_MS)).toBeUndefined();
    expect(signer.open(token.slice(0, at), NOW_MS)).toBeUndefined();
  }
  expect(signer.open(`${token}x`, NOW_MS)).toBeUndefined();
});
