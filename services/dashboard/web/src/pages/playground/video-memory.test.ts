import { beforeEach, expect, test } from '@jest/globals';
import { type StoredVideo, VideoMemory } from './video-memory';

const DAY_MS = 24 * 3_600_000;
let stored: Map<string, string>;
let nowMs: number;
beforeEach(() => {
  stored = new Map();
  nowMs = 100 * DAY_MS;
});

const storage = {
  getItem: (name: string) => stored.get(name) ?? null,
  setItem: (name: string, text: string) => void stored.set(name, text),
  removeItem: (name: string) => void stored.delete(name),
  key: (at: number) => [...stored.keys()][at] ?? null,
  get length() {
    return stored.size;
  },
};
const memoryOf = (account: string, user: string) => new VideoMemory(account, user, storage, () => nowMs);
const video = (task_id: string): StoredVideo => ({
  task_id,
  provider: 'sim',
  key_id: 'key_1',
  model: 'sim/video',
  startedMs: nowMs,
});
const ids = (videos: readonly StoredVideo[]) => videos.map(({ task_id }) => task_id);

test('videos are found again by their user only', () => {
  memoryOf('acc_1', 'user_1').add(video('a'));
  expect(ids(memoryOf('acc_1', 'user_1').all())).toEqual(['a']);
  for (const [account, user] of [
    ['acc_1', 'user_2'],
    ['acc_2', 'user_1'],
    ['acc_1/user_1', ''],
  ] as const) {
    expect(memoryOf(account, user).all()).toEqual([]);
  }
});

test('two tabs keep each other’s videos', () => {
  const [one, other] = [memoryOf('acc_1', 'user_1'), memoryOf('acc_1', 'user_1')];
  one.add(video('a'));
  other.add(video('b'));
  expect(ids(one.complete('a'))).toEqual(['b', 'a']);
  expect(ids(other.remove('b'))).toEqual(['a']);
  expect(other.all()[0]).toMatchObject({ task_id: 'a', isCompleted: true });
});

test('keeps the latest twenty, each once, for a month', () => {
  const memory = memoryOf('acc_1', 'user_1');
  for (let at = 0; at < 25; at++) memory.add(video(`task-${at}`));
  expect(memory.add(video('task-24'))).toHaveLength(20);
  nowMs += 32 * DAY_MS;
  memoryOf('acc_2', 'user_2');
  expect([...stored.keys()]).toEqual([]);
  expect(memory.all()).toEqual([]);
});

test('ignores invalid storage content', () => {
  const memory = memoryOf('acc_1', 'user_1');
  for (const text of ['{', 'null', '{}', '[1, null, {"task_id": "a"}]']) {
    stored.set('gateway-videos/acc_1/user_1', text);
    expect(memory.all()).toEqual([]);
  }
});

test("keeps videos for the page's lifetime if storage is blocked", () => {
  const fail = () => {
    throw new Error('no storage');
  };
  const broken = { getItem: fail, setItem: fail, removeItem: fail, key: fail, length: 0 };
  const memory = new VideoMemory('acc_1', 'user_1', broken, () => nowMs);
  memory.add(video('a'));
  expect(ids(memory.add(video('b')))).toEqual(['b', 'a']);
});
