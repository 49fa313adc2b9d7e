import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findCommand, run } from './commands.mjs';

/** What the go.mod files of the programs and modules need. */
const MIN_GO_MINOR = 26;
const TOOLCHAIN = `v0.0.1-go1.26.8.linux-${process.arch === 'x64' ? 'amd64' : process.arch}`;
export const GO_TIMEOUT_MS = 900_000;

export const cacheFolder = () =>
  join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'model-gateway');

/** Where the program is, once it has been built. */
export const goBinary = ({ name, version }) => join(cacheFolder(), `${name}-${version}`, name);

/** Debian packages that building the programs needs on this machine. */
export const packagesToBuild = (...programs) =>
  programs.every((program) => existsSync(goBinary(program))) || findGo() ? [] : ['golang-go'];

/** Returns the path of the program. Builds it from the Go module proxy once per machine and version. */
export async function buildProgram(program, logFile) {
  const binary = goBinary(program);
  if (existsSync(binary)) return binary;
  console.error(`building ${program.name} ${program.version}`);
  mkdirSync(cacheFolder(), { recursive: true });
  const work = mkdtempSync(join(cacheFolder(), 'build-'));
  try {
    const env = { ...process.env, GOBIN: work, CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOFLAGS: '-trimpath' };
    const args = [
      'install',
      `-ldflags=-s -w ${program.ldflags ?? ''}`,
      `${program.source}@v${program.version}`,
    ];
    await run(await recentGo(logFile), args, { logFile, env, timeoutMs: GO_TIMEOUT_MS });
    mkdirSync(join(binary, '..'), { recursive: true });
    renameSync(join(work, program.name), binary);
    return binary;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Returns the folder with the sources of a module, such as `k8s.io/api@v0.37.0`. */
export async function downloadModule(module, logFile) {
  const env = { ...process.env, GOTOOLCHAIN: 'local' };
  return download(await recentGo(logFile), module, { logFile, env });
}

async function download(go, module, options) {
  const json = await run(go, ['mod', 'download', '-json', module], { ...options, timeoutMs: GO_TIMEOUT_MS });
  return JSON.parse(json).Dir;
}

/** Returns the path of a Go that can build the programs. Debian's is too old, but can download a recent one, which is a module. */
export async function recentGo(logFile) {
  const go = findGo();
  if (minorVersionOf(go) >= MIN_GO_MINOR) return go;
  const folder = await download(go, `golang.org/toolchain@${TOOLCHAIN}`, { logFile });
  // Modules have no executable files.
  const tools = join(folder, 'pkg/tool', `linux_${TOOLCHAIN.split('-').at(-1)}`);
  for (const dir of [join(folder, 'bin'), tools])
    for (const name of readdirSync(dir)) chmodSync(join(dir, name), 0o755);
  return join(folder, 'bin/go');
}

const findGo = () => findCommand('go', ['/usr/local/go/bin']);

function minorVersionOf(go) {
  const version = execFileSync(go, ['env', 'GOVERSION'], { cwd: '/', encoding: 'utf8' });
  return Number(/^go1\.(\d+)/.exec(version)?.[1] ?? 0);
}
