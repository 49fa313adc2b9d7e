import { expect, test } from '@jest/globals';
import { timeByCause, timeByFunction } from './cpu-profile';

const frame = (functionName: string, url = '') => ({ functionName, url, lineNumber: 6 });
const PROFILE = {
  startTime: 1_000,
  nodes: [
    { id: 1, callFrame: frame('(root)'), children: [2, 3, 6] },
    { id: 2, callFrame: frame('(idle)') },
    { id: 3, callFrame: frame('emit', 'node:events'), children: [4] },
    { id: 4, callFrame: frame('handle', 'file:///a/node_modules/@x/y/lib/z.js'), children: [5] },
    { id: 5, callFrame: frame('writev') },
    { id: 6, callFrame: frame('(garbage collector)') },
  ],
  // At 1010, 1030, 1060, 1070 and 1090.
  samples: [3, 5, 2, 6, 4],
  timeDeltas: [10, 20, 30, 10, 20],
};
const ALL = [{ fromUs: 0, toUs: 9_999 }];

test('sums the time by function without idle time', () => {
  expect(timeByFunction(PROFILE, ALL)).toEqual([
    { where: 'writev', us: 20 },
    { where: 'handle @x/y/lib/z.js:7', us: 20 },
    { where: 'emit node:events:7', us: 10 },
    { where: '(garbage collector)', us: 10 },
  ]);
});

test('attributes the time of Node itself to the file that called it', () => {
  expect(timeByCause(PROFILE, ALL)).toEqual([
    { where: '@x/y', us: 40 },
    { where: 'node', us: 10 },
    { where: '(garbage collector)', us: 10 },
  ]);
});

test('counts only samples within the windows', () => {
  expect(timeByFunction(PROFILE, [{ fromUs: 1_020, toUs: 1_040 }])).toEqual([{ where: 'writev', us: 20 }]);
});
