import { closeSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { lastLines, limitLog, openLog, rotateLog } from './log-file';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-file-'));
  path = join(folder, 'a.log');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('rotates a log that exceeds its limit while a process writes to it', () => {
  const file = openLog(path);
  writeSync(file, 'first\n');
  limitLog(path);
  expect(existsSync(`${path}.1`)).toBe(false);
  const line = `${'x'.repeat(1024 * 1024 - 1)}\n`;
  for (let written = 0; written <= 32; written++) writeSync(file, line);
  limitLog(path);
  writeSync(file, 'after\n');
  closeSync(file);
  expect(readFileSync(path, 'utf8')).toBe('after\n');
  expect(statSync(`${path}.1`).size).toBeGreaterThan(32 * 1024 * 1024);
});

test('keeps the log of the previous start', () => {
  const file = openLog(path);
  writeSync(file, 'one\ntwo\nthree\n');
  closeSync(file);
  expect(lastLines(path, 2)).toBe('two\nthree');
  rotateLog(path);
  expect(lastLines(path, 2)).toBe('');
  expect(readFileSync(`${path}.1`, 'utf8')).toContain('one');
});
