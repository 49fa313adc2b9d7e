import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { type KeyEncryptionKeys, parseKeyEncryptionKeys, UnsealError } from '@gateway/secrets';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createStorageFixture, newKey, type StorageFixture } from '../../testing/storage-fixture';
import { describeStores, type StoreFixture } from '../../testing/store-fixture';
import type { FilePageRequest } from '../rules/file-page';
import { Files, removeExpiredFiles } from './files';
import { ObjectStoreError } from './object-store';
import { reencryptFiles } from './reencrypt-files';

const KEYS = parseKeyEncryptionKeys(newKey());
const CONTENT = 'a line\nanother line\n';

describeStores('files', (openStore) => {
  let storage: StorageFixture;
  let stored: StoreFixture;
  beforeAll(async () => {
    storage = await createStorageFixture();
    stored = await openStore();
  }, 60_000);
  beforeEach(async () => {
    await storage.owner.query('TRUNCATE storage.files');
    stored.clear();
  });
  afterAll(async () => {
    await stored?.cleanUp();
    await storage?.cleanUp();
  }, 30_000);

  const objects = () => stored.objects();
  const filesWith = (keys: KeyEncryptionKeys = KEYS, maxAccountBytes = 1e6) =>
    new Files(storage.pool, keys, stored.store, {
      retentionDays: 30,
      maxAccountBytes,
      maxAccountFiles: 10_000,
    });
  async function* streamOf(text: string) {
    yield Buffer.from(text);
  }
  const UPLOADED = { filename: 'secret-name.jsonl', purpose: 'batch' };
  const save = (id: string, { files = filesWith(), account = 'a', content = CONTENT, more = {} } = {}) =>
    files.save({ accountId: account, keyId: 'k' }, id, async (put) => {
      await put(streamOf(content));
      return { ...UPLOADED, ...more };
    });
  const read = async (id: string, { files = filesWith(), account = 'a' } = {}) => {
    const found = await files.open({ accountId: account }, id);
    return found && text(found.content);
  };
  const expire = (id: string) =>
    storage.owner.query('UPDATE storage.files SET expires_at = now() WHERE id = $1', [id]);
  const rowCount = async () => (await storage.owner.query('SELECT FROM storage.files')).rowCount;

  test('a file is returned as it was stored, and nothing of it is in clear', async () => {
    const saved = await save('f1');
    expect(saved).toMatchObject({ id: 'f1', ...UPLOADED, bytes: CONTENT.length });
    expect(saved.expiresAt.getTime() - saved.createdAt.getTime()).toBeGreaterThanOrEqual(30 * 86_400_000);
    expect(await filesWith().find({ accountId: 'a' }, 'f1')).toEqual(saved);
    expect(await read('f1')).toBe(CONTENT);
    expect(readFileSync(path.join(stored.folder, 'f1')).includes('line')).toBe(false);
    const { rows } = await storage.owner.query('SELECT sealed_details FROM storage.files');
    expect(rows[0].sealed_details.includes('secret-name')).toBe(false);
  });

  test('its lifetime may be shorter than the retention, but not longer', async () => {
    const lifetime = async (id: string, lifetimeSeconds: number) => {
      const { createdAt, expiresAt } = await save(id, { more: { lifetimeSeconds } });
      return Math.round((expiresAt.getTime() - createdAt.getTime()) / 60_000);
    };
    expect(await lifetime('f1', 3_600)).toBe(60);
    expect(await lifetime('f2', 1e9)).toBe(30 * 24 * 60);
  });

  test('a file of another account does not exist for any method', async () => {
    await save('f1');
    const files = filesWith();
    expect(await files.find({ accountId: 'b' }, 'f1')).toBeUndefined();
    expect(await read('f1', { account: 'b' })).toBeUndefined();
    expect((await files.list({ accountId: 'b' }, { limit: 9, order: 'asc' })).files).toEqual([]);
    expect(await files.delete({ accountId: 'b' }, 'f1')).toBe(false);
    await storage.owner.query(`UPDATE storage.files SET account_id = 'b'`);
    await expect(read('f1', { account: 'b' })).rejects.toThrow(UnsealError);
  });

  test('a file of another key does not exist for a key that sees only its own content', async () => {
    await save('f1');
    const files = filesWith();
    const [own, other] = ['k', 'other'].map((onlyKeyId) => ({ accountId: 'a', onlyKeyId }));
    expect(await files.find(other!, 'f1')).toBeUndefined();
    expect(await files.open(other!, 'f1')).toBeUndefined();
    expect((await files.list(other!, { limit: 9, order: 'asc' })).files).toEqual([]);
    expect(await files.delete(other!, 'f1')).toBe(false);
    expect(await files.find(own!, 'f1')).toBeDefined();
    expect(await files.delete(own!, 'f1')).toBe(true);
  });

  test('an object that takes the place of another one cannot be read', async () => {
    await save('f1');
    await save('f2');
    writeFileSync(path.join(stored.folder, 'f1'), readFileSync(path.join(stored.folder, 'f2')));
    await expect(read('f1')).rejects.toThrow(UnsealError);
  });

  test('a deleted file leaves neither row nor object', async () => {
    await save('f1');
    expect(await filesWith().delete({ accountId: 'a' }, 'f1')).toBe(true);
    expect(await filesWith().delete({ accountId: 'a' }, 'f1')).toBe(false);
    expect([await rowCount(), objects()]).toEqual([0, []]);
  });

  test('an upload that fails leaves neither row nor object, wherever it fails', async () => {
    const broken = async function* () {
      yield Buffer.alloc(200_000);
      throw new Error('cut off');
    };
    const files = filesWith();
    await expect(
      files.save({ accountId: 'a', keyId: 'k' }, 'f1', () => Promise.reject(new Error('no form'))),
    ).rejects.toThrow('no form');
    const cut = files.save({ accountId: 'a', keyId: 'k' }, 'f2', async (put) => {
      await put(broken());
      return UPLOADED;
    });
    await expect(cut).rejects.toThrow('cut off');
    const late = files.save({ accountId: 'a', keyId: 'k' }, 'f3', async (put) => {
      await put(streamOf(CONTENT));
      throw new Error('no purpose');
    });
    await expect(late).rejects.toThrow('no purpose');
    expect([await rowCount(), objects()]).toEqual([0, []]);
  });

  test('while it is uploaded a file does not exist, and after its time it can no longer be completed', async () => {
    const files = filesWith();
    const upload = files.save({ accountId: 'a', keyId: 'k' }, 'f1', async (put) => {
      await put(streamOf(CONTENT));
      expect(await files.find({ accountId: 'a' }, 'f1')).toBeUndefined();
      expect(await files.delete({ accountId: 'a' }, 'f1')).toBe(false);
      await expire('f1');
      expect(await removeExpiredFiles(storage.pool, stored.store, 9)).toBe(1);
      return UPLOADED;
    });
    await expect(upload).rejects.toMatchObject({ code: 'invalid_request' });
    expect([await rowCount(), objects()]).toEqual([0, []]);
  });

  test('expired files, and uploads that a killed process left, are removed in batches', async () => {
    for (const id of ['f1', 'f2', 'kept']) await save(id);
    await storage.owner.query(
      `INSERT INTO storage.files (id, account_id, expires_at) VALUES ('left', 'a', now() + interval '30 minutes')`,
    );
    writeFileSync(path.join(stored.folder, 'left'), 'part of an object');
    for (const id of ['f1', 'f2', 'left']) await expire(id);
    expect(await read('f1')).toBeUndefined();
    expect(await removeExpiredFiles(storage.pool, stored.store, 2)).toBe(2);
    expect(await removeExpiredFiles(storage.pool, stored.store, 2)).toBe(1);
    expect([await rowCount(), objects()]).toEqual([1, ['kept']]);
  });

  test('an account has a bound of bytes, and its next file a place when others are deleted', async () => {
    const files = filesWith(KEYS, 50);
    await save('f1', { files, content: 'x'.repeat(30) });
    await expect(save('f2', { files, content: 'x'.repeat(21) })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await save('f3', { files, content: 'x'.repeat(20) });
    await save('other', { files, account: 'b', content: 'x'.repeat(50) });
    await files.delete({ accountId: 'a' }, 'f1');
    await save('f4', { files, content: 'x'.repeat(30) });
    expect(objects()).toEqual(['f3', 'f4', 'other']);
  });

  describe('a list', () => {
    test('has pages in both orders, and files of one purpose', async () => {
      for (const id of ['f1', 'f2', 'f3']) await save(id);
      await save('f4', { more: { purpose: 'user_data' } });
      const list = async (page: Partial<FilePageRequest>) => {
        const { files, hasMore } = await filesWith().list(
          { accountId: 'a' },
          { limit: 2, order: 'asc', ...page },
        );
        return [files.map(({ id }) => id), hasMore];
      };
      expect(await list({})).toEqual([['f1', 'f2'], true]);
      expect(await list({ after: 'f2' })).toEqual([['f3', 'f4'], false]);
      expect(await list({ order: 'desc', after: 'f3' })).toEqual([['f2', 'f1'], false]);
      expect(await list({ purpose: 'user_data' })).toEqual([['f4'], false]);
    });
  });

  test('after a rotation all files are read with the new key alone', async () => {
    const [old, current] = [newKey(), newKey()];
    await save('f1', { files: filesWith(parseKeyEncryptionKeys(old)) });
    const both = parseKeyEncryptionKeys(`${current},${old}`);
    expect(await reencryptFiles(storage.pool, both)).toBe(1);
    expect(await reencryptFiles(storage.pool, both)).toBe(0);
    expect(await read('f1', { files: filesWith(parseKeyEncryptionKeys(current)) })).toBe(CONTENT);
  });

  test('an upload whose store fails is not forgotten until its time is over: the store may still write it', async () => {
    const failing = Object.assign(Object.create(stored.store), {
      async put(name: string, content: AsyncIterable<Buffer>) {
        await stored.store.put(name, content);
        throw new ObjectStoreError('put', 'TimeoutError');
      },
    });
    const files = new Files(storage.pool, KEYS, failing, {
      retentionDays: 30,
      maxAccountBytes: 1e6,
      maxAccountFiles: 10_000,
    });
    await expect(save('f1', { files })).rejects.toThrow(ObjectStoreError);
    expect([await files.find({ accountId: 'a' }, 'f1'), await rowCount(), objects()]).toEqual([
      undefined,
      1,
      ['f1'],
    ]);
    await expire('f1');
    expect(await removeExpiredFiles(storage.pool, stored.store, 9)).toBe(1);
    expect([await rowCount(), objects()]).toEqual([0, []]);
  });
});
