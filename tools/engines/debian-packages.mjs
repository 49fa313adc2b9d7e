import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { run } from './commands.mjs';

const POLICY = '/usr/sbin/policy-rc.d';
const CLUSTER_CONFIG = '/etc/postgresql-common/createcluster.conf';

/** Installs Debian packages, but prevents them from starting services or creating databases. */
export async function installPackages(packages, logFile) {
  if (packages.length === 0) return;
  const command = `apt-get install -y --no-install-recommends ${packages.join(' ')}`;
  if (process.getuid() !== 0) throw new Error(`missing packages; as root: ${command}`);
  console.error(`installing ${packages.join(', ')}`);
  const allowServiceStarts = forbidServiceStarts();
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', UCF_FORCE_CONFFOLD: '1' };
  const options = { logFile, env, timeoutMs: 600_000 };
  try {
    await run('apt-get', ['update', '-q'], options);
    const dpkgOptions = ['-o', 'Dpkg::Options::=--force-confold', '-o', 'Acquire::Retries=3'];
    await run(
      'apt-get',
      ['install', '-y', '-q', '--no-install-recommends', ...dpkgOptions, ...packages],
      options,
    );
  } finally {
    allowServiceStarts();
  }
}

function forbidServiceStarts() {
  if (!existsSync(CLUSTER_CONFIG)) {
    mkdirSync('/etc/postgresql-common', { recursive: true });
    writeFileSync(CLUSTER_CONFIG, 'create_main_cluster = false\n');
  }
  // Java's packages link manual pages into a folder that slim images lack.
  mkdirSync('/usr/share/man/man1', { recursive: true });
  if (existsSync(POLICY)) return () => {};
  writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  return () => rmSync(POLICY, { force: true });
}
