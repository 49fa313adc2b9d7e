import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { DASHBOARD_ERROR_TABLE } from './dashboard-error-table';
import { ERROR_TABLE, type ErrorRow } from './error-table';

const rows: [string, ErrorRow][] = Object.entries(DASHBOARD_ERROR_TABLE);

describe('the dashboard error table', () => {
  test('shares no code with the public table', () => {
    expect(rows.map(([code]) => code).filter((code) => Object.hasOwn(ERROR_TABLE, code))).toEqual([]);
  });

  test.each(rows)('%s has a status that its error type has in the public table', (_code, row) => {
    const statuses = Object.values<ErrorRow>(ERROR_TABLE)
      .filter(({ type }) => type === row.type)
      .map(({ status }) => status);
    expect(statuses).toContain(row.status);
  });

  test('matches the table in docs/dashboard-api.md', () => {
    const readme = readFileSync(path.join(__dirname, '../../../docs/dashboard-api.md'), 'utf8');
    const cells = readme
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .filter((row) => row.length === 7 && /^`\w+`$/.test(row[1]!) && /^\d{3}$/.test(row[3]!));
    const listed = cells.map((row) => [row[1]!.replaceAll('`', ''), ...row.slice(2, 6)]);
    const expected = rows.map(([code, row]) => [
      code,
      row.type,
      String(row.status),
      row.message,
      row.param === 'none' ? '-' : `\`${row.param}\``,
    ]);
    expect(listed.sort()).toEqual(expected.sort());
  });
});
