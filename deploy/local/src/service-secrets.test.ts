import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ALL_CALLERS, calleesOf, pairSetting, pairsOf } from '@gateway/callers';
import { REPOSITORY } from '@gateway/local-stack';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

const EXAMPLE = join(REPOSITORY, 'deploy/compose.env.example');

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'service-secrets-'));
  file = join(directory, '.env');
  copyFileSync(EXAMPLE, file);
});
afterEach(() => rmSync(directory, { recursive: true }));

const run = (...step: string[]) =>
  execFileSync(process.execPath, [join(REPOSITORY, 'deploy/service-secrets.mjs'), file, ...step]);

/** Returns the secrets in the file by the name of the setting. */
function secrets(pattern: RegExp): Record<string, string[]> {
  const rows = readFileSync(file, 'utf8').matchAll(/^([A-Z_]+)=(.*)$/gm);
  return Object.fromEntries(
    [...rows].flatMap(([, name = '', value = '']) => (pattern.test(name) ? [[name, value.split(',')]] : [])),
  );
}
const pairs = () => secrets(/^SERVICE_SECRET_/);

test('the template has exactly one secret for each pair of services', () => {
  const expected = ALL_CALLERS.flatMap((caller) =>
    calleesOf(caller).map((callee) => pairSetting(caller, callee)),
  );
  expect(Object.keys(pairs()).sort()).toEqual(expected.sort());
});

test('docker-compose.yml gives each service the secrets of its pairs and no others', () => {
  const compose = readFileSync(join(REPOSITORY, 'docker-compose.yml'), 'utf8');
  for (const service of ALL_CALLERS) {
    const [, block = ''] = compose.split(new RegExp(`^  ${service}:\\n`, 'm'));
    const [own = ''] = block.split(/^ {2}[a-z-]+:\n/m);
    const given = [...own.matchAll(/^ {6}(SERVICE_SECRET\w*): \$\{(\w+):\?/gm)];
    for (const [, setting, variable] of given) expect(variable).toBe(setting);
    const expected = pairsOf(service).map((pair) => pairSetting(...pair));
    expect([service, given.map(([, name]) => name).sort()]).toEqual([service, expected.sort()]);
  }
});

test('fills the secrets that are empty, each with another value, and nothing else', () => {
  run();
  const filled = Object.values(secrets(/^(SERVICE|SIGNING)_SECRET_/)).flat();
  expect(new Set(filled).size).toBe(20);
  for (const secret of filled) expect(secret).toMatch(/^[\w-]{43}$/);
  expect(
    Object.values(secrets(/PASSWORD/))
      .flat()
      .join(''),
  ).toBe('');
  const before = readFileSync(file, 'utf8');
  run();
  expect(readFileSync(file, 'utf8')).toBe(before);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('replaces the secrets of pairs in three steps, in each of which two neighbouring files accept each other', () => {
  run();
  const files = [pairs()];
  for (const step of ['--add', '--use', '--remove']) {
    run(step);
    files.push(pairs());
  }
  files.slice(1).forEach((later, at) => {
    const earlier = files[at]!;
    for (const [name, accepted] of Object.entries(later)) {
      expect(accepted).toContain(earlier[name]![0]);
      expect(earlier[name]).toContain(accepted[0]);
    }
  });
  for (const [name, [secret]] of Object.entries(files[0]!)) expect(files[3]![name]).not.toContain(secret);
});
