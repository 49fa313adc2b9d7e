import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import path from 'node:path';

/** Linux's O_TMPFILE, which Node does not export: the same on all architectures except for the directory bit. */
const O_TMPFILE = 0o20000000 | constants.O_DIRECTORY;
const MODE = 0o600;

/** Opens a file without a name in the directory, which disappears with this process. */
export async function openNameless(directory: string): Promise<FileHandle> {
  if (process.platform !== 'linux') return openUnlinked(directory);
  try {
    return await open(directory, constants.O_RDWR | O_TMPFILE, MODE);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Some file systems don't support such files.
    if (code === 'EOPNOTSUPP' || code === 'EISDIR') return openUnlinked(directory);
    throw error;
  }
}

/** The file has a name for a moment. */
export async function openUnlinked(directory: string): Promise<FileHandle> {
  const name = path.join(directory, `.upload-${randomUUID()}`);
  const handle = await open(name, 'wx+', MODE);
  try {
    await unlink(name);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return handle;
}
