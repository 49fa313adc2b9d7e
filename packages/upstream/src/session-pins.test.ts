import { beforeEach, expect, test } from '@jest/globals';
import { SessionPins } from './session-pins';

const HOUR_MS = 60 * 60 * 1_000;

let nowMs: number;
let pins: SessionPins;
beforeEach(() => {
  nowMs = 0;
  pins = new SessionPins(() => nowMs);
});

test('a pin is the route of the last call', () => {
  expect(pins.get('s')).toBeUndefined();
  pins.set('s', 'a');
  pins.set('s', 'b');
  expect(pins.get('s')).toBe('b');
});

test('a pin ends an hour after its last use', () => {
  pins.set('s', 'a');
  nowMs = HOUR_MS;
  expect(pins.get('s')).toBe('a');
  nowMs = 2 * HOUR_MS;
  expect(pins.get('s')).toBe('a');
  nowMs = 3 * HOUR_MS + 1;
  expect(pins.get('s')).toBeUndefined();
});

test('beyond 50,000 sessions the least recently used one is forgotten', () => {
  for (let session = 0; session < 50_000; session++) pins.set(`s${session}`, 'a');
  pins.get('s0');
  pins.set('one more', 'a');
  expect(pins.get('s0')).toBe('a');
  expect(pins.get('s1')).toBeUndefined();
});
