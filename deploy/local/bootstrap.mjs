#!/usr/bin/env node
// Plain JavaScript for Node 20 without dependencies, because it runs before anything is installed.
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from './bootstrap/command.mjs';
import { withLock } from './bootstrap/lock.mjs';
import { hashFiles, listFiles, WORKSPACE_FOLDERS } from './bootstrap/sources.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const MODULES = join(ROOT, 'node_modules');
/** The web UI, which has a separate build script. */
const WEB_UI = 'services/dashboard/web';
const STAMP = join(MODULES, '.bootstrap.json');
const PNPM = `pnpm@${packageJson(ROOT).packageManager.split('@')[1]}`;
const REQUIRED_NODE = 24;
const INSTALL_TIMEOUT_MS = 10 * 60_000;
const BUILD_TIMEOUT_MS = 5 * 60_000;
const LOCK_WAIT_MS = 10 * 60_000;

/** A problem that the user can fix; the message says how. */
export class BootstrapError extends Error {}

/**
 * Brings the checkout up to date: dependencies, generated types, compiled services. Does nothing if they already are.
 * Returns the path of Node 24.
 */
export async function bootstrap({ log = console.log } = {}) {
  const current = () => {
    const stamp = readStamp();
    return isInstalled(stamp) && isBuilt(stamp);
  };
  if (!current()) {
    mkdirSync(MODULES, { recursive: true });
    const waiting = (pid) => log(`Process ${pid} is setting up this folder; waiting for it.`);
    await withLock(join(MODULES, '.bootstrap.lock'), LOCK_WAIT_MS, waiting, async () => {
      if (!isInstalled(readStamp())) await install(log);
      if (!isBuilt(readStamp())) await build(log);
    });
  }
  // On every start, because a manual `pnpm install` restores the long shim.
  shortenNodeShim();
  return node24();
}

async function install(log) {
  log('Installing dependencies (about half a minute the first time) …');
  const startedAtMs = Date.now();
  const hash = installHash();
  await runCommand('npx', ['-y', PNPM, 'install', '--frozen-lockfile', '--prefer-offline'], {
    cwd: ROOT,
    env: {
      ...process.env,
      // No prompts, and an unreachable registry is reported within seconds.
      CI: 'true',
      npm_config_fetch_retry_mintimeout: '1000',
      npm_config_fetch_retry_maxtimeout: '5000',
    },
    timeoutMs: INSTALL_TIMEOUT_MS,
    onFailure: installProblem,
    stillRunning: (seconds) => log(`… still installing (${seconds} s)`),
  });
  writeStamp({ install: hash });
  log(`Installed in ${secondsSince(startedAtMs)} s.`);
}

async function build(log) {
  log('Building …');
  const startedAtMs = Date.now();
  const hash = buildHash();
  const node = node24();
  const options = { timeoutMs: BUILD_TIMEOUT_MS, onFailure: () => 'The build failed.' };
  const proto = join(ROOT, 'proto');
  const path = [join(proto, 'node_modules/.bin'), join(MODULES, '.bin'), process.env.PATH].join(':');
  await runCommand('/bin/sh', ['-c', packageJson(proto).scripts.generate], {
    ...options,
    cwd: proto,
    env: { ...process.env, PATH: path },
  });
  // tsc's incremental state does not notice that its output was deleted.
  const force = outputFolders().every((folder) => existsSync(folder)) ? [] : ['--force'];
  await runCommand(node, [join(MODULES, 'typescript/bin/tsc'), '-b', ...force], {
    ...options,
    cwd: ROOT,
    env: process.env,
  });
  // Does nothing if the sources of the web UI have not changed.
  await runCommand(node, [join(ROOT, WEB_UI, 'build.mjs')], { ...options, cwd: ROOT, env: process.env });
  writeStamp({ build: hash });
  log(`Built in ${secondsSince(startedAtMs)} s.`);
}

const isInstalled = (stamp) => stamp.install === installHash() && existsSync(node24());
const isBuilt = (stamp) =>
  stamp.build === buildHash() && outputFolders().every((folder) => existsSync(folder));

function installHash() {
  const manifests = ['', ...WORKSPACE_FOLDERS.flatMap((folder) => expand(folder))]
    .map((folder) => join(ROOT, folder, 'package.json'))
    .filter((file) => existsSync(file));
  const files = [join(ROOT, 'pnpm-lock.yaml'), join(ROOT, 'pnpm-workspace.yaml'), ...manifests];
  return hashFiles(ROOT, files, `${process.platform}-${process.arch}`);
}

function buildHash() {
  const isSource = (path) =>
    /\.(ts|tsx|proto)$|(^|\/)(tsconfig[^/]*|package|presets\/[^/]+)\.json$/.test(path) ||
    (path.includes(`/${WEB_UI}/`) && /\.(css|html|js|mjs|svg)$/.test(path));
  const files = WORKSPACE_FOLDERS.flatMap((folder) =>
    listFiles(join(ROOT, folder.replace('/*', '')), isSource),
  );
  const roots = ['tsconfig.base.json', 'tsconfig.json', 'pnpm-lock.yaml'].map((name) => join(ROOT, name));
  return hashFiles(ROOT, [...roots, ...files], '');
}

function expand(folder) {
  if (!folder.endsWith('/*')) return [folder];
  const parent = folder.slice(0, -2);
  return listFiles(join(ROOT, parent), (path) => basename(path) === 'package.json').map((path) =>
    path.slice(ROOT.length + 1, -'/package.json'.length),
  );
}

function outputFolders() {
  const { references } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8'));
  const packages = references.map(({ path }) => path).filter((path) => existsSync(join(ROOT, path, 'src')));
  return [
    join(ROOT, 'proto/src/generated'),
    join(ROOT, WEB_UI, 'dist'),
    ...packages.map((path) => join(ROOT, path, 'dist')),
  ];
}

/** Returns the installed Node 24 package if there is one for this platform, else the running Node if it is new enough. */
function node24() {
  const installed = packageFolder() && join(packageFolder(), 'bin/node');
  if (installed && existsSync(installed)) return installed;
  if (Number(process.versions.node.split('.')[0]) >= REQUIRED_NODE) return process.execPath;
  return installed ?? missingNode();
}

function packageFolder() {
  const name = `node-${process.platform}-${process.arch}`;
  return packageJson(ROOT).optionalDependencies?.[name] && join(MODULES, name);
}

function missingNode() {
  throw new BootstrapError(
    `On ${process.platform}-${process.arch} Node ${REQUIRED_NODE} or later is required; this is Node ${process.versions.node}.`,
  );
}

/**
 * Replaces the package manager's shim for `node`, a shell script that stays between npm and the program and does not forward
 * signals, with one that calls exec.
 */
function shortenNodeShim() {
  const folder = packageFolder();
  const shim = join(MODULES, '.bin/node');
  if (!folder || !existsSync(shim)) return;
  const short = `#!/bin/sh\nexec "\${0%/*}/../${basename(folder)}/bin/node" "$@"\n`;
  if (readFileSync(shim, 'utf8') === short) return;
  const temporary = `${shim}.${process.pid}`;
  writeFileSync(temporary, short);
  chmodSync(temporary, 0o755);
  renameSync(temporary, shim);
}

function installProblem(output) {
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET|ENETUNREACH|SOCKET_TIMEOUT/.test(output)) {
    return 'The package registry could not be reached. Installing the dependencies requires network access once.';
  }
  if (/OUTDATED_LOCKFILE/.test(output)) {
    return `pnpm-lock.yaml does not match the package.json files; run: npx ${PNPM} install`;
  }
  if (/ENOSPC/.test(output)) return 'The disk is full; the dependencies need about 1 GB.';
  if (/EACCES|EPERM|EROFS/.test(output)) return `This user has no permission to write to ${ROOT}.`;
  return 'The dependencies could not be installed.';
}

function packageJson(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(STAMP, 'utf8'));
  } catch {
    return {};
  }
}

function writeStamp(change) {
  const stamp = { ...readStamp(), ...change };
  writeFileSync(`${STAMP}.new`, JSON.stringify(stamp));
  renameSync(`${STAMP}.new`, STAMP);
}

const secondsSince = (startedAtMs) => Math.round((Date.now() - startedAtMs) / 1000);

if (process.argv[1] && fileURLToPath(import.meta.url) === process.argv[1]) {
  bootstrap().catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
