import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
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

test('each link in the glossary is labeled with its path', () => {
  const links = [...read('docs/glossary.md').matchAll(/\[([^\]]+)\]\(\.\.\/([^)]+)\)/g)];
  const isLabel = (label: string, path: string) =>
    label.startsWith('packages/')
      ? `${path}/`.startsWith(`${label}/`)
      : path.replace(/^(services|packages)\//, '').replace('/src', '') === label;
  expect(links.length).toBeGreaterThan(50);
  expect(links.filter(([, label = '', path = '']) => !isLabel(label, path))).toEqual([]);
});

const foldersIn = (folder: string) =>
  readdirSync(join(REPOSITORY, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
const packages = foldersIn('packages').filter((name) =>
  existsSync(join(REPOSITORY, 'packages', name, 'package.json')),
);
const services = foldersIn('services').filter((name) =>
  existsSync(join(REPOSITORY, 'services', name, 'package.json')),
);

test('docs/architecture.md lists every service and package, and each has a README', () => {
  const page = read('docs/architecture.md');
  const folders = [
    'proto',
    ...services.map((name) => `services/${name}`),
    ...packages.map((name) => `packages/${name}`),
  ];
  expect(folders.filter((folder) => !page.includes(`(../${folder}`))).toEqual([]);
  expect(folders.filter((folder) => !existsSync(join(REPOSITORY, folder, 'README.md')))).toEqual([]);
});

const withUsers = packages.filter((name) => /^Used by: /m.test(read(`packages/${name}/README.md`)));

test.each(withUsers)(
  'the README of packages/%s lists the packages and services that depend on it',
  (name) => {
    const [, listed = ''] = /^Used by: (.+)\.$/m.exec(read(`packages/${name}/README.md`)) ?? [];
    const manifests = [
      ...packages.map((user) => [user, `packages/${user}`] as const),
      ...services.map((user) => [user, `services/${user}`] as const),
    ];
    const users = manifests.filter(([, folder]) =>
      read(`${folder}/package.json`).includes(`"@gateway/${name}":`),
    );
    expect(listed.split(', ')).toEqual(users.map(([user]) => user).sort());
  },
);

test.each(withUsers)('the README of packages/%s names only what its sources have', (name) => {
  const sources = readdirSync(join(REPOSITORY, 'packages', name, 'src'), {
    recursive: true,
    encoding: 'utf8',
  })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => read(`packages/${name}/src/${file}`));
  const known = new Set(sources.join('\n').match(/\w+/g));
  const named = [...read(`packages/${name}/README.md`).matchAll(/`(\w+)`/g)].map(([, word = '']) => word);
  expect(named.filter((word) => !known.has(word))).toEqual([]);
});

test.each(services)('the README of %s describes each of its folders', (service) => {
  const described = inSection(`services/${service}/README.md`, 'Folders', /`([\w-]+)\/`/g);
  const folders = foldersIn(`services/${service}/src`).filter((name) => name !== 'testing');
  expect(folders.filter((folder) => !described.includes(folder))).toEqual([]);
});

test('tests/README.md describes each system test, in one row', () => {
  const [table = ''] = read('tests/README.md').split('\n\nEmbedded engines');
  const rows = [...table.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = '']) => [
    ...cell.matchAll(/`([^`]+)`/g),
  ]);
  const described = rows.map(([, name = '']) => name);
  const entries = readdirSync(join(REPOSITORY, 'tests/src'), { withFileTypes: true });
  const existing = entries
    .filter((entry) => entry.name !== 'support')
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .filter((name) => /\/$|\.test\.ts$/.test(name));
  expect(existing.filter((name) => !described.includes(name))).toEqual([]);
  expect(described.filter((name, index) => described.indexOf(name) !== index)).toEqual([]);
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
