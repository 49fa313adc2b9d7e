import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findCommand, run } from './commands.mjs';

const VERSION = '1.8.0';
/** Go 1.25, as its go.mod says. */
const MIN_GO_MINOR = 25;
const TOOLCHAIN = `v0.0.1-go1.25.3.linux-${process.arch === 'x64' ? 'amd64' : process.arch}`;
const BUILD_TIMEOUT_MS = 600_000;

/** An S3 server. It is only installed: tests start their own, which they stop and kill. */
export const versitygw = {
  variable: 'S3_SERVER',
  missingPackages: () => (existsSync(binary()) || findGo() ? [] : ['golang-go']),
  install,
};

/** Returns the path of the server. Builds it from the Go module proxy once per machine and version. */
async function install(logFile) {
  if (existsSync(binary())) return binary();
  console.error(`building versitygw ${VERSION}`);
  mkdirSync(cacheFolder(), { recursive: true });
  const work = mkdtempSync(join(cacheFolder(), 'build-'));
  try {
    const env = { ...process.env, GOBIN: work, CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOFLAGS: '-trimpath' };
    const source = `github.com/versity/versitygw/cmd/versitygw@v${VERSION}`;
    await run(await recentGo(logFile), ['install', source], { logFile, env, timeoutMs: BUILD_TIMEOUT_MS });
    mkdirSync(join(binary(), '..'), { recursive: true });
    renameSync(join(work, 'versitygw'), binary());
    return binary();
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Returns the path of a Go that can build the server. Debian's is too old, but can download a recent one, which is a module. */
async function recentGo(logFile) {
  const go = findGo();
  if (minorVersionOf(go) >= MIN_GO_MINOR) return go;
  const download = ['mod', 'download', '-json', `golang.org/toolchain@${TOOLCHAIN}`];
  const { Dir: folder } = JSON.parse(await run(go, download, { logFile, timeoutMs: BUILD_TIMEOUT_MS }));
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

const cacheFolder = () => join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'model-gateway');
const binary = () => join(cacheFolder(), `versitygw-${VERSION}`, 'versitygw');
