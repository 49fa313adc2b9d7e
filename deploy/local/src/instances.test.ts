import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { readInstances } from './instances';

const dataDir = mkdtempSync(join(tmpdir(), 'gateway-instances-'));
afterAll(() => rmSync(dataDir, { recursive: true }));

const linux = (cores: number) => ({ cores, platform: 'linux' as const });
const ONE_OF_EACH = { edge: 1, chat: 1, billing: 1, media: 1, storage: 1 };

test.each([
  [1, ONE_OF_EACH],
  [2, ONE_OF_EACH],
  [4, { ...ONE_OF_EACH, chat: 2 }],
  [8, { ...ONE_OF_EACH, edge: 2, chat: 4, billing: 2 }],
  [128, { ...ONE_OF_EACH, edge: 8, chat: 16, billing: 4 }],
])('%d cores are divided by what a call costs each service', (cores, expected) => {
  expect(readInstances({}, '/absent', linux(cores))).toEqual(expected);
});

test('a setting replaces the number for its service', () => {
  const env = { CHAT_INSTANCES: '3', MEDIA_INSTANCES: '2', EDGE_INSTANCES: '' };
  expect(readInstances(env, '/absent', linux(8))).toMatchObject({ edge: 2, chat: 3, media: 2 });
});

test.each(['0', '65', '-1', '1.5', 'all'])('refuses %s instances and names the setting', (count) => {
  expect(() => readInstances({ CHAT_INSTANCES: count }, '/absent', linux(8))).toThrow(
    `CHAT_INSTANCES: ${count} is not a number from 1 to 64.`,
  );
});

test('where processes cannot share a port there is one edge, and more are refused', () => {
  const mac = { cores: 8, platform: 'darwin' as const };
  expect(readInstances({}, '/absent', mac)).toMatchObject({ edge: 1, chat: 4 });
  expect(() => readInstances({ EDGE_INSTANCES: '2' }, '/absent', mac)).toThrow('EDGE_INSTANCES: ');
});

test('an instance of chat with usage in its journal is started again, whatever the setting', () => {
  const journal = (index: number, ...files: string[]) => {
    const folder = join(dataDir, `chat-${index}`, 'journal');
    mkdirSync(folder, { recursive: true });
    for (const file of files) writeFileSync(join(folder, file), '');
  };
  journal(0, 'owner.json');
  journal(1, 'owner.json', '0000000001.journal');
  journal(2, 'owner.json');
  expect(readInstances({ CHAT_INSTANCES: '1' }, dataDir, linux(2))).toMatchObject({ chat: 2 });
});
