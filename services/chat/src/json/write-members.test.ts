import { expect, test } from '@jest/globals';
import { writeMembers } from './write-members';

test.each([
  ['no members', {}],
  ['one member', { a: 1 }],
  ['members of all kinds', { 'a"b': [null, { c: 'ü"\n' }], d: {}, e: false, f: null }],
  ['undefined members', { a: undefined, b: 1, c: undefined }],
  ['values with toJSON', { at: new Date(0) }],
])('writes %s as JSON.stringify does', (_, members) => {
  expect(writeMembers(members)).toBe(JSON.stringify(members));
});

test('rejects members that are nested too deeply with invalid_request', () => {
  const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
  expect(() => writeMembers({ deep })).toThrow(
    expect.objectContaining({ code: 'invalid_request', detail: 'nested too deeply' }),
  );
});
