import { beforeEach, expect, test } from '@jest/globals';
import { LoginStore } from './login-store';

const HOUR_MS = 3_600_000;
let shared: string | null;
let nowMs: number;

const openTab = () =>
  new LoginStore({
    read: () => shared,
    write: (value) => {
      shared = value;
    },
    nowMs: () => nowMs,
  });

let serial = 0;
const tokenOf = (sub: string) => {
  serial += 1;
  const payload = Buffer.from(JSON.stringify({ sub, iat: 1_000, exp: 1_900, jti: serial })).toString(
    'base64url',
  );
  return `e30.${payload}.x`;
};

beforeEach(() => {
  shared = null;
  nowMs = 1_000_000;
});

test('shares a login with other tabs, and can refresh it for twelve hours after its expiry', () => {
  const token = tokenOf('ada');
  openTab().store(token);
  expect(openTab().state).toEqual({ status: 'in', userId: 'ada', loggedOut: false });
  expect(openTab().isExpired).toBe(false);
  nowMs += HOUR_MS / 4;
  expect(openTab().isExpired).toBe(true);
  expect(openTab().current?.token).toBe(token);
  nowMs += 12 * HOUR_MS;
  expect(openTab().state.status).toBe('out');
});

test('a refused token ends the login in all tabs and keeps its user', () => {
  const token = tokenOf('ada');
  const [one, other] = [openTab(), openTab()];
  one.store(token);
  other.syncFromStorage();
  one.end(token);
  other.syncFromStorage();
  for (const tab of [one, other]) {
    expect(tab.state).toEqual({ status: 'ended', userId: 'ada', loggedOut: false });
    expect(tab.current).toBeUndefined();
  }
  expect(openTab().state.status).toBe('out');
});

test('a refused token that another tab has refreshed does not end the login', () => {
  const [old, renewed] = [tokenOf('ada'), tokenOf('ada')];
  const [one, other] = [openTab(), openTab()];
  one.store(old);
  other.syncFromStorage();
  // The first tab does not receive the storage event.
  other.store(renewed);
  one.end(old);
  expect(one.current?.token).toBe(renewed);
  one.end(old);
  expect(one.state.status).toBe('in');
});

test('a logout applies to all tabs, and an ended login can be given up', () => {
  const [one, other] = [openTab(), openTab()];
  one.store(tokenOf('ada'));
  other.syncFromStorage();
  one.logOut();
  other.syncFromStorage();
  expect([one, other, openTab()].map(({ state }) => state.status)).toEqual(['out', 'out', 'out']);
  expect([one.state.loggedOut, other.state.loggedOut]).toEqual([true, true]);
  one.store(tokenOf('ada'));
  one.forget();
  expect(one.state.status).toBe('in');
  one.end(one.current!.token);
  one.forget();
  expect(one.state).toEqual({ status: 'out', userId: undefined, loggedOut: false });
});

test.each<[string, (tab: LoginStore) => void, boolean]>([
  ['the same user', (tab) => tab.store(tokenOf('ada')), true],
  ['another user', (tab) => tab.store(tokenOf('eve')), false],
  ['no user', (tab) => tab.logOut(), false],
])('resolves waiting calls when %s logs in', async (_who, comeBack, expected) => {
  const tab = openTab();
  tab.store(tokenOf('ada'));
  tab.end(tab.current!.token);
  const back = tab.waitForLogin();
  comeBack(tab);
  expect(await back).toBe(expected);
});

test('a call can stop waiting for the user', async () => {
  const tab = openTab();
  tab.store(tokenOf('ada'));
  expect(await tab.waitForLogin()).toBe(true);
  tab.end(tab.current!.token);
  const abort = new AbortController();
  const back = tab.waitForLogin(abort.signal);
  abort.abort();
  expect(await back).toBe(false);
});

test('notifies listeners of a new state and a new user, not of a new token', () => {
  const tab = openTab();
  const notified: unknown[] = [];
  tab.subscribe(() => notified.push(tab.state.userId));
  tab.store(tokenOf('ada'));
  tab.store(tokenOf('ada'));
  tab.store(tokenOf('eve'));
  expect(notified).toEqual(['ada', 'eve']);
});

test.each(['', '{', '"x"', '{"token":1}', 'null', '[]'])('ignores %p in storage', (stored) => {
  shared = stored;
  expect(openTab().state).toEqual({ status: 'out', userId: undefined, loggedOut: false });
});
