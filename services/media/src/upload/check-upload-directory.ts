import { SettingsError } from '@gateway/process';
import { openNameless } from './open-nameless';

/** Checked at start, before any client is affected. @throws SettingsError if files can't be created there */
export async function checkUploadDirectory(directory: string): Promise<void> {
  try {
    const file = await openNameless(directory);
    await file.close();
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new SettingsError([`UPLOAD_DIR: no file can be made in ${directory} (${code})`]);
  }
}
