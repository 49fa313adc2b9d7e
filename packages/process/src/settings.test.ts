import { describe, expect, test } from '@jest/globals';
import { grpcSettings, parseEnv, SettingsError } from './settings';

const SECRET = 'sixteen bytes ok';

const read = (value: string) => parseEnv(grpcSettings, { SERVICE_SECRET: value }).SERVICE_SECRET;

describe('SERVICE_SECRET', () => {
  test('is a list of secrets of at least 16 bytes each', () => {
    expect(read(SECRET)).toEqual([SECRET]);
    expect(read(`${SECRET},another of sixteen`)).toEqual([SECRET, 'another of sixteen']);
    // Eight characters of two bytes.
    expect(read('éééééééé')).toEqual(['éééééééé']);
  });

  test.each([
    ['a trailing comma', `${SECRET},`, 'entry 2 of 2 is empty'],
    ['a leading comma', `,${SECRET}`, 'entry 1 of 2 is empty'],
    ['a doubled comma', `${SECRET},,${SECRET}`, 'entry 2 of 3 is empty'],
    ['a short entry in a long list', `${SECRET},short`, 'entry 2 of 2 is shorter than 16 bytes'],
    ['a short secret', 'fifteen bytes..', 'entry 1 of 1 is shorter than 16 bytes'],
  ])(
    'is refused with %s; the error names the position of the entry, not its value',
    (_what, value, problem) => {
      expect(() => read(value)).toThrow(new SettingsError([`SERVICE_SECRET: ${problem}`]));
    },
  );
});
