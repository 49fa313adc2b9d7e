#!/usr/bin/env node
// Plain JavaScript for Node 20 and no dependencies: nothing is installed yet when this runs.
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from './bootstrap/command.mjs';
import { withLock } from './bootstrap/lock.mjs';
import { hashFiles, listFiles, WORKSPACE_FOLDERS } from './bootstrap/sources.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const MODULES = join(ROOT, 'node_modules');
/** What the browser loads: built by a tool of its own. */
const WEB_UI = 'services/dashboard/web';
const STAMP = join(MODULES, '.bootstrap.json');
const PNPM = `pnpm@${packageJson(ROOT).packageManager.split('@')[1]}`;
const WANTED_NODE = 24;
const INSTALL_TIMEOUT_MS = 10 * 60_000;
const BUILD_TIMEOUT_MS = 5 * 60_000;
const LOCK_WAIT_MS = 10 * 60_000;

/** Something the user can mend; the message says how. */
export class BootstrapError extends Error {}

/**
 * Brings the checkout up to date: dependencies, generated types, compiled services. Does nothing when
 * nothing has changed. Returns the path of a Node 24.
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
  // Each time: who installs by hand gets the long one back.
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
      // Nobody is there to answer, and a registry that is away is told within seconds.
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
  // Its own record of what is up to date does not notice that output was deleted.
  const force = outputFolders().every((folder) => existsSync(folder)) ? [] : ['--force'];
  await runCommand(node, [join(MODULES, 'typescript/bin/tsc'), '-b', ...force], {
    ...options,
    cwd: ROOT,
    env: process.env,
  });
  // Skips itself when only other sources have changed.
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
    /\.(ts|tsx|proto)$|(^|\/)(tsconfig[^/]*|package)\.json$/.test(path) ||
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

/** The registry's Node 24 where there is one for this machine, else the one that runs this. */
function node24() {
  const registered = packageFolder() && join(packageFolder(), 'bin/node');
  if (registered && existsSync(registered)) return registered;
  if (Number(process.versions.node.split('.')[0]) >= WANTED_NODE) return process.execPath;
  return registered ?? missingNode();
}

function packageFolder() {
  const name = `node-${process.platform}-${process.arch}`;
  return packageJson(ROOT).optionalDependencies?.[name] && join(MODULES, name);
}

function missingNode() {
  throw new BootstrapError(
    `On ${process.platform}-${process.arch} this needs Node ${WANTED_NODE} or later; this is Node ${process.versions.node}.`,
  );
}

/**
 * `node` in scripts is a shell script of the package manager's, which stays between npm and the program and
 * keeps signals to itself. This one is replaced by the program.
 */
function shortenNodeShim() {
  const folder = packageFolder();
  const shim = join(MODULES, '.bin/node');
  if (!folder || !existsSync(shim)) return;
  const short = `#!/bin/sh\nexec "\${0%/*}/../${basename(folder)}/bin/node" "$@"\n`;
  if (readFileSync(shim, 'utf8') === short) return;
  const made = `${shim}.${process.pid}`;
  writeFileSync(made, short);
  chmodSync(made, 0o755);
  renameSync(made, shim);
}

function installProblem(output) {
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET|ENETUNREACH|SOCKET_TIMEOUT/.test(output)) {
    return 'The package registry could not be reached. Dependencies are installed once, from the network.';
  }
  if (/OUTDATED_LOCKFILE/.test(output)) {
    return `pnpm-lock.yaml does not fit the package.json files; run: npx ${PNPM} install`;
  }
  if (/ENOSPC/.test(output)) return 'The disk is full; the dependencies need about 1 GB.';
  if (/EACCES|EPERM|EROFS/.test(output)) return `This user may not write in ${ROOT}.`;
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
