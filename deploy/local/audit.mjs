#!/usr/bin/env node
// Fails if what the services run has known vulnerabilities of high or critical severity. A registry that can't be reached or has no
// list of vulnerabilities is reported, and is no failure.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const TIMEOUT_MS = 120_000;
const SEVERE = ['high', 'critical'];

const { packageManager } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const { stdout } = spawnSync('npx', ['-y', packageManager, 'audit', '--prod', '--json'], {
  cwd: ROOT,
  encoding: 'utf8',
  timeout: TIMEOUT_MS,
});
const report = parse(stdout);
if (!report?.advisories) {
  console.log('Dependencies were not scanned: the registry did not answer.');
  process.exit(0);
}
const severe = Object.values(report.advisories).filter(({ severity }) => SEVERE.includes(severity));
for (const { severity, module_name: name, vulnerable_versions: versions, title, url } of severe) {
  console.error(`${severity}: ${name} ${versions}: ${title} (${url})`);
}
console.log(`${severe.length} severe vulnerabilities in dependencies`);
process.exit(severe.length > 0 ? 1 : 0);

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
