import { SettingsError } from '@gateway/process';
import { describe, expect, test } from '@jest/globals';
import { readCells } from './cell-settings';
import { Cells } from './cells';

describe('the cell of an account', () => {
  const cells = new Cells('home', new Map([['b', "b's"]]), async (accountId) =>
    accountId === 'moved' ? 'b' : '',
  );

  test('is found by the name in a message, which is empty for home and absent in one of an older version', () => {
    expect([cells.of(''), cells.of(undefined), cells.of('b')]).toEqual(['home', 'home', "b's"]);
  });

  test('is looked up if only the account is known', async () => {
    expect(await cells.ofAccount('moved')).toBe("b's");
    expect(await cells.ofAccount('other')).toBe('home');
  });

  test('is not looked up if home is the only one', async () => {
    const find = () => Promise.reject(new Error('looked up'));
    expect(await new Cells('home', new Map(), find).ofAccount('any')).toBe('home');
  });

  test('fails the call if this process has no settings of it', () => {
    expect(() => cells.of('c')).toThrow(expect.objectContaining({ code: 'internal_error' }));
  });
});

describe('the settings of cells', () => {
  test('give each cell its addresses, and brokers of its own if it has them', () => {
    const env = {
      CELLS: 'b, c2',
      BILLING_ADDR_B: 'b:1',
      BILLING_ADDR_C2: 'c:1,c:2',
      KAFKA_BROKERS_C2: 'k:1',
    };
    expect(readCells(env)).toEqual([
      { name: 'b', addresses: ['b:1'], kafkaBrokers: undefined },
      { name: 'c2', addresses: ['c:1', 'c:2'], kafkaBrokers: ['k:1'] },
    ]);
    expect(readCells({})).toEqual([]);
  });

  test.each<[NodeJS.ProcessEnv, string]>([
    [{ CELLS: 'b' }, 'BILLING_ADDR_B'],
    [{ CELLS: 'home' }, 'CELLS'],
    [{ CELLS: 'B' }, 'CELLS'],
    [{ CELLS: 'b-1' }, 'CELLS'],
    [{ CELLS: 'b,b', BILLING_ADDR_B: 'b:1' }, 'CELLS'],
    [{ CELLS: 'b', BILLING_ADDR_B: 'b' }, 'BILLING_ADDR_B'],
  ])('%j are refused by name', (env, name) => {
    expect(() => readCells(env)).toThrow(SettingsError);
    expect(() => readCells(env)).toThrow(name);
  });
});
