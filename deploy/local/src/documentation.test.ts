import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { REPOSITORY } from '@gateway/local-stack';
import { describe, expect, test } from '@jest/globals';

const read = (file: string) => readFileSync(join(REPOSITORY, file), 'utf8');

const pages = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: REPOSITORY,
  encoding: 'utf8',
})
  .split('\n')
  .filter((page) => page !== '' && existsSync(join(REPOSITORY, page)));

/** Returns the fragments that GitHub generates for the headings of a page. */
function fragments(page: string): string[] {
  const headings = read(page).matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function isBroken(page: string, target: string): boolean {
  if (/^[a-z]+:/.test(target)) return false;
  const [path = '', fragment] = target.split('#');
  const file = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(REPOSITORY, file))) return true;
  return fragment !== undefined && file.endsWith('.md') && !fragments(file).includes(fragment);
}

test.each(pages)('every relative link in %s points to an existing file and heading', (page) => {
  const links = read(page)
    .replaceAll(/```.*?```/gs, '')
    .matchAll(/\]\(([^)\s]+)\)/g);
  const targets = [...links].map(([, target = '']) => target);
  expect(targets.filter((target) => isBroken(page, target))).toEqual([]);
});

test.each(pages)('every repository path in %s exists', (page) => {
  const names = read(page).matchAll(
    /`((?:services|packages|proto|deploy|tools|tests|bench|docs|examples)\/[\w./-]+)`/g,
  );
  const paths = [...names].map(([, name = '']) => name);
  expect(paths.filter((path) => !existsSync(join(REPOSITORY, path)))).toEqual([]);
});

test('the glossary defines each term once, in alphabetical order', () => {
  const terms = [...read('docs/glossary.md').matchAll(/^\| ([^|]+?) \| .*\]\(/gm)].map(
    ([, term = '']) => term,
  );
  expect(terms).toEqual([...new Set(terms)].sort((a, b) => a.localeCompare(b, 'en')));
});

/** Returns the matches of the pattern in the section under the heading. */
function inSection(page: string, heading: string, pattern: RegExp): string[] {
  const [, section = ''] = read(page).split(new RegExp(`^#+ ${heading}\\n`, 'm'));
  return [...(section.split(/^#+ /m)[0] ?? '').matchAll(pattern)].map(([, name = '']) => name);
}

describe.each(['edge', 'chat', 'media', 'billing', 'catalog', 'dashboard', 'storage'])(
  'the %s service',
  (service) => {
    test('has each of its settings in docs/operations/configuration.md', () => {
      const settings = [...read(`services/${service}/src/settings.ts`).matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)];
      const page = inSection('docs/operations/configuration.md', service, /`([A-Z][A-Z0-9_]+)`/g);
      expect(settings.map(([, name]) => name).filter((name = '') => !page.includes(name))).toEqual([]);
    });

    test('has exactly its metrics in docs/operations/metrics.md', () => {
      const metrics = read(`services/${service}/src/metrics.ts`).matchAll(
        /(?:name: |gauge\(|\[\s*)'([a-z]+(?:_[a-z]+)+)',/g,
      );
      const names = [...metrics].map(([, name = '']) => name);
      const page = inSection('docs/operations/metrics.md', service, /`([a-z]+(?:_[a-z]+)+)/g);
      expect(names.filter((name) => !page.includes(name))).toEqual([]);
      const own = (name: string) => name.startsWith(`${service}_`) && !name.startsWith(`${service}_quota_`);
      expect(page.filter((name) => own(name) && !names.includes(name))).toEqual([]);
    });
  },
);

test('every setting of a service in docs/operations/configuration.md is read by the code', () => {
  const code = execFileSync(
    'git',
    ['grep', '-ohwE', '[A-Z][A-Z0-9_]+', '--', '*.ts', '*.mjs', ':!*.test.ts'],
    {
      cwd: REPOSITORY,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 ** 2,
    },
  );
  const known = new Set(code.split('\n'));
  const [, services = ''] = read('docs/operations/configuration.md').split('\n## All settings\n');
  const rows = [...services.matchAll(/^\| ([^|]+) \|/gm)].map(([, cell = '']) => cell);
  const settings = rows
    .flatMap((cell) => [...cell.matchAll(/`([A-Z][A-Z0-9_]+)`/g)])
    .map(([, name = '']) => name);
  expect(settings).toContain('KEY_PEPPER');
  expect(settings.filter((name) => !known.has(name))).toEqual([]);
});
