import { parseKeyEncryptionKeys, UnsealError } from '@gateway/secrets';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createStorageFixture, newKey, type StorageFixture } from '../../testing/storage-fixture';
import { reencryptResponses } from './reencrypt-responses';
import { deleteExpired, type NewResponse } from './responses';

let storage: StorageFixture;
beforeAll(async () => {
  storage = await createStorageFixture();
}, 60_000);
beforeEach(async () => {
  await storage.owner.query('TRUNCATE storage.responses CASCADE');
});
afterAll(async () => {
  await storage?.cleanUp();
}, 30_000);

const INPUT = Buffer.from('[{"id":"msg_1","content":"a question"}]');
const RESPONSE = Buffer.from('{"output":[{"content":"an answer"}]}');
const newResponse = (id: string, more: Partial<NewResponse> = {}): NewResponse => ({
  accountId: 'a',
  keyId: 'k',
  id,
  input: INPUT,
  response: RESPONSE,
  ...more,
});
const save = (id: string, more?: Partial<NewResponse>) => storage.responses().save(newResponse(id, more));
const expire = (id: string) =>
  storage.owner.query('UPDATE storage.responses SET expires_at = now() WHERE id = $1', [id]);

test('a response is returned as it was saved, and repeating the save changes nothing', async () => {
  await save('r1');
  await save('r1', { response: Buffer.from('{}') });
  const responses = storage.responses();
  expect(await responses.response({ accountId: 'a' }, 'r1')).toEqual({ json: RESPONSE });
  expect(await responses.input({ accountId: 'a' }, 'r1')).toEqual(INPUT);
  const { rows } = await storage.owner.query(
    `SELECT sealed_input || sealed_response AS sealed, expires_at - created_at = interval '30 days' AS kept
     FROM storage.responses`,
  );
  expect(rows[0].kept).toBe(true);
  for (const text of ['question', 'answer', 'output']) expect(rows[0].sealed.includes(text)).toBe(false);
});

describe('a response of another account', () => {
  test('does not exist for any method', async () => {
    await save('r1');
    const responses = storage.responses();
    expect(await responses.response({ accountId: 'b' }, 'r1')).toBeUndefined();
    expect(await responses.input({ accountId: 'b' }, 'r1')).toBeUndefined();
    expect(await responses.sizes({ accountId: 'b' }, ['r1'])).toEqual([]);
    expect(await responses.conversation({ accountId: 'b' }, 'r1', 9)).toBeUndefined();
    expect(await responses.load({ accountId: 'b' }, [{ id: 'r1', withInput: true }], 1e6)).toEqual([]);
    expect(await responses.delete({ accountId: 'b' }, 'r1')).toBe(false);
    expect(await responses.delete({ accountId: 'a' }, 'r1')).toBe(true);
    expect(await responses.response({ accountId: 'a' }, 'r1')).toBeUndefined();
  });

  test('a key that sees only its own content sees neither that of other keys nor that of unknown keys', async () => {
    const responses = storage.responses();
    await responses.save(newResponse('own', { keyId: 'mine' }));
    await responses.save(newResponse('next', { keyId: 'mine', previousId: 'other' }));
    await responses.save(newResponse('other', { keyId: 'theirs' }));
    await responses.save(newResponse('old', { keyId: '' }));
    const mine = { accountId: 'a', onlyKeyId: 'mine' };
    for (const id of ['other', 'old']) {
      expect(await responses.response(mine, id)).toBeUndefined();
      expect(await responses.input(mine, id)).toBeUndefined();
      expect(await responses.conversation(mine, id, 9)).toBeUndefined();
      expect(await responses.delete(mine, id)).toBe(false);
    }
    // A conversation that continues another key's response is not whole.
    expect(await responses.conversation(mine, 'next', 9)).toBeUndefined();
    expect((await responses.sizes(mine, ['own', 'other', 'old'])).map(({ id }) => id)).toEqual(['own']);
    const wanted = ['own', 'other'].map((id) => ({ id, withInput: true }));
    expect((await responses.load(mine, wanted, 1e6)).map(({ id }) => id)).toEqual(['own']);
    expect(await responses.response({ accountId: 'a' }, 'old')).toEqual({ json: RESPONSE });
    expect(await responses.delete(mine, 'own')).toBe(true);
  });

  test('cannot be read after its row was moved', async () => {
    await save('r1');
    await storage.owner.query(`UPDATE storage.responses SET account_id = 'b'`);
    await expect(storage.responses().response({ accountId: 'b' }, 'r1')).rejects.toThrow(UnsealError);
  });

  test('is not part of a conversation that names it', async () => {
    await save('r1', { accountId: 'b' });
    await save('r2', { previousId: 'r1' });
    expect(await storage.responses().conversation({ accountId: 'a' }, 'r2', 9)).toBeUndefined();
  });
});

describe('a conversation', () => {
  const idsOf = async (lastId: string, max = 9) =>
    (await storage.responses().conversation({ accountId: 'a' }, lastId, max))?.map(({ id }) => id);

  test('has its responses with their sizes, oldest first, at most so many', async () => {
    await save('r1');
    await save('r2', { previousId: 'r1' });
    await save('other', { previousId: 'r1' });
    await save('r3', { previousId: 'r2' });
    expect(await idsOf('r3')).toEqual(['r1', 'r2', 'r3']);
    expect(await idsOf('r3', 2)).toEqual(['r2', 'r3']);
    const [first] = (await storage.responses().conversation({ accountId: 'a' }, 'r3', 9))!;
    expect(first).toEqual({ id: 'r1', inputBytes: INPUT.length, responseBytes: RESPONSE.length });
  });

  test.each(['r1', 'r2', 'r3'])('does not exist when %s has expired or was deleted', async (gone) => {
    for (const end of [expire, (id: string) => storage.responses().delete({ accountId: 'a' }, id)]) {
      await save('r1');
      await save('r2', { previousId: 'r1' });
      await save('r3', { previousId: 'r2' });
      await end(gone);
      expect(await idsOf('r3')).toBeUndefined();
      await storage.owner.query('TRUNCATE storage.responses CASCADE');
    }
  });
});

describe('content is loaded', () => {
  const load = async (wanted: [string, boolean][], maxBytes = 1e6) =>
    storage.responses().load(
      { accountId: 'a' },
      wanted.map(([id, withInput]) => ({ id, withInput })),
      maxBytes,
    );

  test('in the order of the request, with input where it is wanted', async () => {
    for (const id of ['r1', 'r2', 'r3']) await save(id);
    expect(
      await load([
        ['r3', false],
        ['r1', true],
      ]),
    ).toEqual([
      { id: 'r3', response: RESPONSE },
      { id: 'r1', input: INPUT, response: RESPONSE },
    ]);
  });

  test('as far as it fits, but always the first, and up to the first that does not exist', async () => {
    for (const id of ['r1', 'r2', 'r3']) await save(id);
    const all: [string, boolean][] = [
      ['r1', false],
      ['r2', true],
      ['r3', false],
    ];
    const idsOf = async (wanted: [string, boolean][], maxBytes: number) =>
      (await load(wanted, maxBytes)).map(({ id }) => id);
    expect(await idsOf(all, 2 * RESPONSE.length)).toEqual(['r1']);
    expect(await idsOf(all, 2 * RESPONSE.length + INPUT.length)).toEqual(['r1', 'r2']);
    expect(await idsOf(all, 0)).toEqual(['r1']);
    expect(
      await idsOf(
        [
          ['r1', false],
          ['none', false],
          ['r2', false],
        ],
        1e6,
      ),
    ).toEqual(['r1']);
    expect(
      await idsOf(
        [
          ['none', false],
          ['r1', false],
        ],
        1e6,
      ),
    ).toEqual([]);
  });
});

test('expired responses are deleted in batches, oldest first, and no others', async () => {
  for (const id of ['r1', 'r2', 'r3', 'kept']) await save(id);
  for (const id of ['r1', 'r2', 'r3']) await expire(id);
  expect(await storage.responses().response({ accountId: 'a' }, 'r1')).toBeUndefined();
  expect(await deleteExpired(storage.pool, 2)).toBe(2);
  expect(await deleteExpired(storage.pool, 2)).toBe(1);
  expect(await deleteExpired(storage.pool, 2)).toBe(0);
  const { rows } = await storage.owner.query('SELECT id FROM storage.responses');
  expect(rows).toEqual([{ id: 'kept' }]);
});

test('after a rotation all responses are read with the new key alone', async () => {
  const [old, current] = [newKey(), newKey()];
  const withOld = storage.responses(parseKeyEncryptionKeys(old));
  for (let at = 0; at < 25; at++) await withOld.save(newResponse(`r${at}`));
  const both = parseKeyEncryptionKeys(`${current},${old}`);
  await storage.responses(both).save(newResponse('new'));
  expect(await reencryptResponses(storage.pool, both)).toBe(25);
  expect(await reencryptResponses(storage.pool, both)).toBe(0);
  const withNew = storage.responses(parseKeyEncryptionKeys(current));
  for (const id of ['r0', 'r24', 'new']) {
    expect(await withNew.response({ accountId: 'a' }, id)).toEqual({ json: RESPONSE });
    expect(await withNew.input({ accountId: 'a' }, id)).toEqual(INPUT);
  }
});
