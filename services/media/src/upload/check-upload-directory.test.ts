import { tmpdir } from 'node:os';
import path from 'node:path';
import { SettingsError } from '@gateway/process';
import { expect, test } from '@jest/globals';
import { checkUploadDirectory } from './check-upload-directory';

test('a writable directory is accepted', () => checkUploadDirectory(tmpdir()));

test.each([
  ['is missing', path.join(tmpdir(), 'there-is-no-such-folder')],
  ['is a file', process.execPath],
])('a directory that %s is reported at the start', async (_what, directory) => {
  const check = checkUploadDirectory(directory);
  await expect(check).rejects.toBeInstanceOf(SettingsError);
  await expect(check).rejects.toThrow(`UPLOAD_DIR: no file can be made in ${directory}`);
});
