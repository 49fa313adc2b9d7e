import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { adviceOn, ERROR_ADVICE, LOGGED_CODES } from './error-advice';

const TABLES = ['error-table.ts', 'dashboard-error-table.ts'];

/** Read as text, because pages must not import server code. */
const readTable = (name: string): string =>
  readFileSync(`${__dirname}/../../../../../packages/errors/src/${name}`, 'utf8');

function contractCodes(): string[] {
  return TABLES.map(readTable).flatMap((text) =>
    [...text.matchAll(/^ {2}([a-z_]+): (?:row\(|\{)/gm)].map(([, code]) => code!),
  );
}

test('has advice for exactly the codes of the error table', () => {
  const codes = contractCodes();
  expect(codes).toHaveLength(29);
  expect(Object.keys(ERROR_ADVICE).toSorted()).toEqual(codes.toSorted());
});

test('lists as logged the codes that calls with a valid key can return', () => {
  const rows = readTable('error-table.ts').matchAll(/^ {2}([a-z_]+): row\(\s*'[a-z_]+',\s*(\d+)/gm);
  const logged = [...rows].filter(([, , status]) => status !== '401').map(([, code]) => code!);
  expect(LOGGED_CODES.toSorted()).toEqual(logged.toSorted());
});

test('has general advice for an unknown code', () => {
  expect(adviceOn('not_yet_known').todo).toContain('request ID');
});
