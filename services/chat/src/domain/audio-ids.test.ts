import { describe, expect, test } from '@jest/globals';
import { AudioIdSealer } from './audio-ids';

const ID = 'audio_0123456789abcdef';
const sealer = new AudioIdSealer(['secret-1']);
const [mine, theirs] = [sealer.of('account-1'), sealer.of('account-2')];

describe('an id of a spoken reply', () => {
  test("is opened by its account and hides nothing but the provider's id", () => {
    const sealed = mine.seal(ID);
    expect(sealed).not.toBe(ID);
    expect(mine.open(sealed)).toBe(ID);
  });

  test('is unknown to another account', () => {
    expect(theirs.open(mine.seal(ID))).toBeUndefined();
  });

  test('can contain the separator', () => {
    expect(mine.open(mine.seal('a.b.c'))).toBe('a.b.c');
  });

  test("does not depend on how an account's id and a reply's id are joined", () => {
    const [one, other] = [sealer.of('a'), sealer.of('a","b')];
    expect(other.open(one.seal('b","c'))).toBeUndefined();
  });

  test.each<[string, (sealed: string) => string]>([
    ['without a tag', () => ID],
    ['with an empty tag', () => `${ID}.`],
    ['with a shortened tag', (sealed) => sealed.slice(0, -2)],
    ['with another id', (sealed) => `audio_1${sealed.slice(sealed.lastIndexOf('.'))}`],
    ['that is only a tag', (sealed) => sealed.slice(sealed.lastIndexOf('.'))],
    ['that is too long', () => mine.seal('a'.repeat(600))],
    ['that is empty', () => ''],
  ])('%s is not opened', (_, change) => {
    expect(mine.open(change(mine.seal(ID)))).toBeUndefined();
  });

  test('is opened after the secret was replaced, as long as the old one is accepted', () => {
    const sealed = mine.seal(ID);
    const [both, next] = [new AudioIdSealer(['secret-2', 'secret-1']), new AudioIdSealer(['secret-2'])];
    expect(both.of('account-1').open(sealed)).toBe(ID);
    expect(next.of('account-1').open(sealed)).toBeUndefined();
    expect(next.of('account-1').open(both.of('account-1').seal(ID))).toBe(ID);
  });
});
