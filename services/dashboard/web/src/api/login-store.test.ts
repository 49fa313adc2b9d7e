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

test('a login is kept for other tabs, and is renewable for twelve hours after its end', () => {
  const token = tokenOf('ada');
  openTab().keep(token);
  expect(openTab().state).toEqual({ status: 'in', userId: 'ada', left: false });
  expect(openTab().isExpired).toBe(false);
  nowMs += HOUR_MS / 4;
  expect(openTab().isExpired).toBe(true);
  expect(openTab().current?.token).toBe(token);
  nowMs += 12 * HOUR_MS;
  expect(openTab().state.status).toBe('out');
});

test('what was refused has ended, in all tabs, and its user is still known', () => {
  const token = tokenOf('ada');
  const [one, other] = [openTab(), openTab()];
  one.keep(token);
  other.hear();
  one.end(token);
  other.hear();
  for (const tab of [one, other]) {
    expect(tab.state).toEqual({ status: 'ended', userId: 'ada', left: false });
    expect(tab.current).toBeUndefined();
  }
  expect(openTab().state.status).toBe('out');
});

test('a refused token that was renewed elsewhere ends nothing', () => {
  const [old, renewed] = [tokenOf('ada'), tokenOf('ada')];
  const [one, other] = [openTab(), openTab()];
  one.keep(old);
  other.hear();
  // That it was is not heard.
  other.keep(renewed);
  one.end(old);
  expect(one.current?.token).toBe(renewed);
  one.end(old);
  expect(one.state.status).toBe('in');
});

test('who logs out has left in all tabs; a login that ended can be given up', () => {
  const [one, other] = [openTab(), openTab()];
  one.keep(tokenOf('ada'));
  other.hear();
  one.leave();
  other.hear();
  expect([one, other, openTab()].map(({ state }) => state.status)).toEqual(['out', 'out', 'out']);
  expect([one.state.left, other.state.left]).toEqual([true, true]);
  one.keep(tokenOf('ada'));
  one.giveUp();
  expect(one.state.status).toBe('in');
  one.end(one.current!.token);
  one.giveUp();
  expect(one.state).toEqual({ status: 'out', userId: undefined, left: false });
});

test.each<[string, (tab: LoginStore) => void, boolean]>([
  ['the same user', (tab) => tab.keep(tokenOf('ada')), true],
  ['another user', (tab) => tab.keep(tokenOf('eve')), false],
  ['nobody', (tab) => tab.leave(), false],
])('after %s came, who waited for the user knows', async (_who, come, isBack) => {
  const tab = openTab();
  tab.keep(tokenOf('ada'));
  tab.end(tab.current!.token);
  const back = tab.isBack();
  come(tab);
  expect(await back).toBe(isBack);
});

test('who waits for the user may stop waiting', async () => {
  const tab = openTab();
  tab.keep(tokenOf('ada'));
  expect(await tab.isBack()).toBe(true);
  tab.end(tab.current!.token);
  const abort = new AbortController();
  const back = tab.isBack(abort.signal);
  abort.abort();
  expect(await back).toBe(false);
});

test('listeners hear of another state and of another user, not of a new token', () => {
  const tab = openTab();
  const heard: unknown[] = [];
  tab.subscribe(() => heard.push(tab.state.userId));
  tab.keep(tokenOf('ada'));
  tab.keep(tokenOf('ada'));
  tab.keep(tokenOf('eve'));
  expect(heard).toEqual(['ada', 'eve']);
});

test.each(['', '{', '"x"', '{"token":1}', 'null', '[]'])('%p in the storage is no login', (stored) => {
  shared = stored;
  expect(openTab().state).toEqual({ status: 'out', userId: undefined, left: false });
});
