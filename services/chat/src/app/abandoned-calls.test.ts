import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { AbandonedCalls } from './abandoned-calls';

const TIMEOUT_MS = 1_000;

let calls: AbandonedCalls;
beforeEach(() => {
  jest.useFakeTimers();
  calls = new AbandonedCalls({ maxOfAccount: 2, timeoutMs: TIMEOUT_MS });
});
afterEach(() => {
  jest.useRealTimers();
});

const begin = (usageIsHidden: boolean, account = 'a') => {
  const caller = new AbortController();
  return { caller, call: calls.begin(caller.signal, account, usageIsHidden) };
};

test('a call with visible usage is canceled when its client disconnects', () => {
  const { caller, call } = begin(false);
  caller.abort();
  expect([call.signal.aborted, calls.count]).toEqual([true, 0]);
});

test('a call with hidden usage continues until the timeout', () => {
  const { caller, call } = begin(true);
  caller.abort();
  jest.advanceTimersByTime(TIMEOUT_MS - 1);
  expect([call.signal.aborted, calls.count]).toEqual([false, 1]);
  jest.advanceTimersByTime(1);
  expect([call.signal.aborted, calls.count]).toEqual([true, 1]);
  call.end();
  call.end();
  expect(calls.count).toBe(0);
});

test('a client that disconnects after its call has ended has no effect', () => {
  const { caller, call } = begin(true);
  call.end();
  caller.abort();
  expect([calls.count, jest.getTimerCount()]).toEqual([0, 0]);
});

test('an account at its limit of abandoned calls gets no new calls, and its calls in flight continue', () => {
  const three = [begin(true), begin(true), begin(true)];
  for (const { caller } of three) caller.abort();
  expect(three.map(({ call }) => call.signal.aborted)).toEqual([false, false, false]);
  expect([calls.count, calls.admits('a'), calls.admits('b')]).toEqual([3, false, true]);
  for (const { call } of three.slice(1)) call.end();
  expect(calls.admits('a')).toBe(true);
});
