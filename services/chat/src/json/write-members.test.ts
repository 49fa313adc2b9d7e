import { expect, test } from '@jest/globals';
import { writeMembers } from './write-members';

test.each([
  ['nothing', {}],
  ['one member', { a: 1 }],
  ['members of all kinds', { 'a"b': [null, { c: 'ü"\n' }], d: {}, e: false, f: null }],
  ['undefined members', { a: undefined, b: 1, c: undefined }],
  ['what writes itself', { at: new Date(0) }],
])('writes %s as JSON.stringify does', (_, members) => {
  expect(writeMembers(members)).toBe(JSON.stringify(members));
});
