import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { run } from './commands.mjs';

/** Debian 12's version, 1.18, does not support prepared statements in transaction mode. This is the source of Debian 13. */
const VERSION = '1.24.1';
const SHA256 = 'da72a3aba13072876d055a3e58dd4aba4a5de4ed6148e73033185245598fd3e0';
const SOURCES =
  'deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian trixie main\n';
const BUILD_TIMEOUT_MS = 300_000;

/** A connection pooler for PostgreSQL. It is only installed: tests start their own. */
export const pgbouncer = {
  variable: 'PGBOUNCER',
  // The library is also needed to run it.
  missingPackages: () =>
    existsSync('/usr/include/event2/event.h') && existsSync(binary())
      ? []
      : ['gcc', 'make', 'libc6-dev', 'pkg-config', 'libevent-dev', 'libssl-dev'],
  install,
};

/** Returns the path of the program. Builds it once per machine and version. */
async function install(logFile) {
  if (existsSync(binary())) return binary();
  console.error(`building pgbouncer ${VERSION}`);
  mkdirSync(cacheFolder(), { recursive: true });
  const work = mkdtempSync(join(cacheFolder(), 'build-'));
  try {
    await download(work, logFile);
    const options = { logFile, cwd: join(work, `pgbouncer-${VERSION}`), timeoutMs: BUILD_TIMEOUT_MS };
    await run('tar', ['xf', join(work, archive())], { ...options, cwd: work });
    await run('./configure', ['--without-cares', '--without-pam', '--without-systemd'], options);
    await run('make', ['-j2', 'pgbouncer'], options);
    mkdirSync(join(binary(), '..'), { recursive: true });
    renameSync(join(options.cwd, 'pgbouncer'), binary());
    return binary();
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Downloads the source package by apt, with a package list of its own. */
async function download(work, logFile) {
  const sources = join(work, 'sources.list');
  writeFileSync(sources, SOURCES);
  for (const dir of ['lists/partial', 'cache/archives/partial'])
    mkdirSync(join(work, dir), { recursive: true });
  const apt = [
    `Dir::Etc::sourcelist=${sources}`,
    'Dir::Etc::sourceparts=/dev/null',
    `Dir::State::lists=${join(work, 'lists')}`,
    `Dir::Cache=${join(work, 'cache')}`,
    'Acquire::Retries=3',
    'APT::Sandbox::User=root',
  ].flatMap((option) => ['-o', option]);
  const options = { logFile, cwd: work, timeoutMs: BUILD_TIMEOUT_MS };
  await run('apt-get', [...apt, 'update', '-q'], options);
  await run('apt-get', [...apt, 'source', '--download-only', 'pgbouncer'], options);
  if (!existsSync(join(work, archive()))) {
    const found = readdirSync(work).filter((name) => name.startsWith('pgbouncer'));
    throw new Error(`Debian has another version of pgbouncer than ${VERSION}: ${found.join(', ')}`);
  }
  const digest = createHash('sha256')
    .update(readFileSync(join(work, archive())))
    .digest('hex');
  if (digest !== SHA256) throw new Error(`${archive()} has the digest ${digest}`);
}

const archive = () => `pgbouncer_${VERSION}.orig.tar.gz`;
const cacheFolder = () => join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'model-gateway');
const binary = () => join(cacheFolder(), `pgbouncer-${VERSION}`, 'pgbouncer');
