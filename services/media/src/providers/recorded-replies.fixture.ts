import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const FOLDER = '__fixtures__';

/** Returns the names of all recorded replies, such as `kling/task-queued`. */
export function recordedReplyNames(): string[] {
  return globSync(`*/${FOLDER}/*`, { cwd: __dirname }).map((file) => {
    const { dir, name, ext } = path.parse(file);
    // Any other extension stays in the name, so that no expectation matches the file.
    return `${path.dirname(dir)}/${name}${ext === '.json' ? '' : ext}`;
  });
}

/** Reads the body of a provider's reply. @param name its adapter's folder and its file, such as `kling/task-queued` */
export function recordedReply(name: string): unknown {
  const [folder = '', file] = name.split('/');
  return JSON.parse(readFileSync(path.join(__dirname, folder, FOLDER, `${file}.json`), 'utf8'));
}
