import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The packages of the workspace, as in `pnpm-workspace.yaml`. */
export const WORKSPACE_FOLDERS = [
  'proto',
  'packages/*',
  'services/*',
  'services/dashboard/web',
  'deploy/local',
  'tests',
  'bench',
];

const NOT_SOURCES = new Set(['node_modules', 'dist', 'generated', 'results']);

export function listFiles(folder, wanted) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return NOT_SOURCES.has(entry.name) ? [] : listFiles(path, wanted);
    return wanted(path) ? [path] : [];
  });
}

/** Returns one digest over the names and contents of the files. */
export function hashFiles(root, files, seed) {
  const hash = createHash('sha256').update(seed);
  for (const file of [...files].sort()) {
    const content = readFileSync(file);
    hash.update(`${relative(root, file)}\n${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}
