import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { FolderStore } from './files/store/folder-store';
import { openObjectStore } from './files/store/open-object-store';
import { S3Store } from './files/store/s3-store';
import { readSettings } from './settings';
import { newKey } from './testing/storage-fixture';

const folder = mkdtempSync(path.join(tmpdir(), 'gateway-settings-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const settings = (more: NodeJS.ProcessEnv = {}) =>
  readSettings({
    SERVICE_SECRET: 'a-secret-of-tests',
    BILLING_ADDR: '127.0.0.1:1',
    DATABASE_URL: 'postgres://x',
    STORAGE_KEY: newKey(),
    FILE_DIR: path.join(folder, 'files'),
    ...more,
  });

test('files are kept in a folder, and in a bucket if one is set', async () => {
  expect(await openObjectStore(settings(), () => {})).toBeInstanceOf(FolderStore);
  expect(await openObjectStore(settings({ FILE_S3_BUCKET: '' }), () => {})).toBeInstanceOf(FolderStore);
  const store = await openObjectStore(settings({ FILE_S3_BUCKET: 'files' }), () => {});
  expect(store).toBeInstanceOf(S3Store);
  store.close();
});

test.each<[NodeJS.ProcessEnv, string]>([
  [{ FILE_S3_ACCESS_KEY_ID: 'key-of-tests' }, 'FILE_S3_SECRET_ACCESS_KEY'],
  [{ FILE_S3_SECRET_ACCESS_KEY: 'key-of-tests' }, 'FILE_S3_ACCESS_KEY_ID'],
  [{ FILE_S3_ENDPOINT: 'key-of-tests' }, 'FILE_S3_ENDPOINT'],
  [{ FILE_S3_PREFIX: 'key-of-tests?' }, 'FILE_S3_PREFIX'],
])('the settings %j are refused by name, without their value', (env, name) => {
  const refused = () => settings({ FILE_S3_BUCKET: 'files', ...env });
  expect(refused).toThrow(name);
  expect(refused).not.toThrow(/key-of-tests/);
});
