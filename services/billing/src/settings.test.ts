import { expect, test } from '@jest/globals';
import { readSettings } from './settings';

const REQUIRED = {
  SERVICE_SECRET: 'a-secret-for-tests-only',
  KEY_PEPPER: 'a-pepper-for-tests-only',
  DATABASE_URL: 'postgres://x',
};
const THIRTY_DAYS_MS = String(30 * 86_400_000);

test('rejects an interval above the maximum of a timer, but no long grace period', () => {
  expect(readSettings({ ...REQUIRED, TASK_HOLD_GRACE_MS: THIRTY_DAYS_MS }).TASK_HOLD_GRACE_MS).toBe(
    Number(THIRTY_DAYS_MS),
  );
  for (const name of ['SWEEP_INTERVAL_MS', 'RECONCILE_INTERVAL_MS', 'PARTITION_INTERVAL_MS'])
    expect(() => readSettings({ ...REQUIRED, [name]: THIRTY_DAYS_MS })).toThrow(name);
});

test('the topics of a cell begin with its name, and those of home do not', () => {
  const prefixOf = (env: NodeJS.ProcessEnv) =>
    readSettings({ ...REQUIRED, KAFKA_BROKERS: 'k:1', KAFKA_TOPIC_PREFIX: 'gw.', ...env }).kafka?.topicPrefix;
  expect([prefixOf({}), prefixOf({ CELL: 'b' })]).toEqual(['gw.', 'gw.b.']);
  for (const CELL of ['home', 'B', 'b.c']) expect(() => prefixOf({ CELL })).toThrow('CELL');
});
