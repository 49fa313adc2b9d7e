import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { REPOSITORY } from '@gateway/local-stack';
import { expect, test } from '@jest/globals';

const pages = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: REPOSITORY,
  encoding: 'utf8',
})
  .split('\n')
  .filter((page) => page !== '' && existsSync(join(REPOSITORY, page)));

test.each(pages)('every relative link in %s leads to a file of the repository', (page) => {
  const text = readFileSync(join(REPOSITORY, page), 'utf8').replaceAll(/```.*?```/gs, '');
  const links = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, target]) => target ?? '');
  const broken = links.filter(
    (target) => !/^[a-z]+:/.test(target) && !existsSync(join(REPOSITORY, dirname(page), target)),
  );
  expect(broken).toEqual([]);
});
