import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { adviceOn, ERROR_ADVICE } from './error-advice';

const TABLES = ['error-table.ts', 'dashboard-error-table.ts'];

/** Read, not imported: nothing of the server's gets into the pages. */
function contractCodes(): string[] {
  const source = TABLES.map((name) =>
    readFileSync(`${__dirname}/../../../../../../proto/src/${name}`, 'utf8'),
  );
  return source.flatMap((text) =>
    [...text.matchAll(/^ {2}([a-z_]+): (?:row\(|\{)/gm)].map(([, code]) => code!),
  );
}

test('every code of the contract has advice, and nothing else has', () => {
  const codes = contractCodes();
  expect(codes).toHaveLength(29);
  expect(Object.keys(ERROR_ADVICE).toSorted()).toEqual(codes.toSorted());
});

test('a code that is newer than this page has some too', () => {
  expect(adviceOn('not_yet_known').todo).toContain('request id');
});
