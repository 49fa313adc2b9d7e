import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { SERVICES } from './services';
import { watchServices } from './watch-services';

let root: string;
let stop: () => void;
let restarted: string[];
let onRestart: () => void;

/** Resolves when that many restarts have started. */
const restarts = (count: number) =>
  new Promise<void>((resolve) => {
    onRestart = () => {
      if (restarted.length >= count) resolve();
    };
    onRestart();
  });

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'watch-services-'));
  for (const { name } of SERVICES) mkdirSync(join(root, 'services', name, 'dist/rpc'), { recursive: true });
  mkdirSync(join(root, 'packages/money/dist'), { recursive: true });
  restarted = [];
  onRestart = () => {};
  const stack = {
    async restart(name: string) {
      restarted.push(name);
      onRestart();
    },
  };
  stop = watchServices({ stack, root, log: () => {}, quietMs: 20 });
});
afterEach(() => {
  stop();
  rmSync(root, { recursive: true });
});

test('restarts a service once when several of its compiled files change', async () => {
  writeFileSync(join(root, 'services/chat/dist/main.js'), '1');
  writeFileSync(join(root, 'services/chat/dist/rpc/create-message.js'), '1');
  await restarts(1);
  writeFileSync(join(root, 'services/edge/dist/main.js'), '1');
  await restarts(2);
  expect(restarted).toEqual(['chat', 'edge']);
});

test('restarts every service when a package changes', async () => {
  writeFileSync(join(root, 'packages/money/dist/index.js'), '1');
  await restarts(SERVICES.length);
  expect([...restarted].sort()).toEqual(SERVICES.map(({ name }) => name).sort());
});
