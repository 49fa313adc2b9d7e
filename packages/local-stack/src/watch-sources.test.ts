import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { watchSources } from './watch-sources';

let root: string;
let stop: () => void;
/** The compilations, each ended by the test. */
let compilations: (() => void)[];
let onCompile: () => void;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gateway-sources-'));
  for (const folder of ['services/chat/src/app', 'services/chat/dist', 'packages/link/src']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  writeFileSync(join(root, 'services/chat/src/app/answer.ts'), '');
  compilations = [];
  stop = watchSources({
    root,
    quietMs: 20,
    compile: () =>
      new Promise((resolve) => {
        compilations.push(resolve);
        onCompile();
      }),
  });
});
afterEach(() => {
  stop();
  for (const end of compilations) end();
  rmSync(root, { recursive: true });
});

const nextCompilation = () =>
  new Promise<void>((resolve) => {
    onCompile = resolve;
  });

test('several changes of a source cause one compilation', async () => {
  const compiled = nextCompilation();
  for (let i = 0; i < 5; i++) appendFileSync(join(root, 'services/chat/src/app/answer.ts'), 'x');
  await compiled;
  expect(compilations).toHaveLength(1);
});

test('a change of a package causes a compilation', async () => {
  const compiled = nextCompilation();
  writeFileSync(join(root, 'packages/link/src/link.ts'), '');
  await compiled;
});

test('a change during a compilation causes another one after it', async () => {
  const first = nextCompilation();
  writeFileSync(join(root, 'packages/link/src/link.ts'), '1');
  await first;
  const second = nextCompilation();
  // Written repeatedly, because the notification arrives at some later moment.
  const writing = setInterval(() => appendFileSync(join(root, 'packages/link/src/link.ts'), '2'), 10);
  await new Promise((resolve) => setTimeout(resolve, 100));
  clearInterval(writing);
  expect(compilations).toHaveLength(1);
  compilations[0]!();
  await second;
});
