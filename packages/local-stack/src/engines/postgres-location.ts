import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, realpathSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { readJsonFile, writeJsonFile } from './json-file';

/** Folder for files that PostgreSQL started by root must read when other users can't enter the checkout or the data folder. */
export const SHARED_FOLDER = '/var/lib/model-gateway';
const NOBODY = { uid: 65534, gid: 65534 };

export interface SystemUser {
  uid: number;
  gid: number;
}

/** Folders, port and user of the PostgreSQL of one data folder. */
export interface PostgresLocation {
  /** Contains the lock, the log and `data`. */
  home: string;
  /** PostgreSQL's data folder, mode 0700. */
  data: string;
  /** The user that runs PostgreSQL. Set only for root, because PostgreSQL refuses to run as root. */
  user: SystemUser | undefined;
  password: string;
  port: number | undefined;
  /** Saves the port for the next start, so that addresses stay valid. */
  savePort(port: number): void;
  /** The data exists but its password does not: the data folder it belonged to was deleted. */
  abandoned: boolean;
}

interface State {
  password: string;
  home: string;
  port: number | undefined;
}

export function choosePostgresLocation(dataDir: string): PostgresLocation {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const root = realpathSync(dataDir);
  const file = join(root, 'postgres.json');
  const known = readJsonFile<State>(file);
  const isRoot = process.getuid?.() === 0;
  const chosen = known?.home === undefined ? chooseHome(root, isRoot) : absolute(root, known.home);
  makeHome(chosen, isRoot);
  const home = realpathSync(chosen);
  const data = join(home, 'data');
  const user = ownerOf(data, isRoot);
  const exists = statSync(data, { throwIfNoEntry: false }) !== undefined;
  const abandoned = exists && known?.password === undefined;
  if (abandoned && !isShared(home)) {
    throw new Error(
      `${file} is missing, so the password of ${data} is lost; remove ${home} to start with an empty database`,
    );
  }
  const password = known?.password ?? randomBytes(24).toString('base64url');
  const state = { password, home: isShared(home) ? home : relative(root, home), port: known?.port };
  if (known?.password === undefined) writeJsonFile(file, state);
  const savePort = (port: number) => {
    if (port !== state.port) writeJsonFile(file, Object.assign(state, { port }));
  };
  return { home, data, user, password, port: state.port, savePort, abandoned };
}

function chooseHome(root: string, isRoot: boolean): string {
  const inside = join(root, 'postgres');
  if (!isRoot) return inside;
  const user = ownerOf(join(inside, 'data'), isRoot) ?? NOBODY;
  makeHome(inside, isRoot);
  if (canEnter(inside, user)) return inside;
  rmdirSync(inside);
  const shared = join(SHARED_FOLDER, createHash('sha256').update(root).digest('hex').slice(0, 16));
  makeHome(shared, isRoot);
  writeFileSync(join(shared, 'origin'), `${root}\n`);
  return shared;
}

/** Returns the user that runs PostgreSQL for root: the owner of the data, or `nobody` for new data. */
function ownerOf(data: string, isRoot: boolean): SystemUser | undefined {
  const found = statSync(data, { throwIfNoEntry: false });
  if (found && !isRoot && found.uid !== process.getuid?.()) {
    throw new Error(`${data} belongs to another user (uid ${found.uid}); start as that user or as root`);
  }
  if (!isRoot) return undefined;
  return found && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : NOBODY;
}

export function makeSharedFolder(): void {
  mkdirSync(SHARED_FOLDER, { recursive: true });
  chmodSync(SHARED_FOLDER, 0o755);
}

/** Creates the home folder. Root's folder stays owned by root; PostgreSQL's user may only traverse it. */
function makeHome(path: string, isRoot: boolean): void {
  if (isRoot && isShared(path)) makeSharedFolder();
  mkdirSync(path, { recursive: true });
  chmodSync(path, isRoot ? 0o711 : 0o700);
}

/** Tests access by trying it rather than from modes, because ACLs and mounts matter too. */
function canEnter(path: string, user: SystemUser): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd "$0"', path], { cwd: '/', stdio: 'ignore', ...user }).status === 0;
}

const isShared = (home: string) => home.startsWith(`${SHARED_FOLDER}/`);
const absolute = (root: string, home: string) => (isAbsolute(home) ? home : join(root, home));
