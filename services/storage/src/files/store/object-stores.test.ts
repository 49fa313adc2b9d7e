import { randomBytes } from 'node:crypto';
import { buffer, text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { describeStores, type StoreFixture } from '../../testing/store-fixture';

const MIB = 1024 ** 2;
const PART_BYTES = 5 * MIB;

async function* piecesOf(content: Buffer, bytes = 64 * 1024 + 16): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += bytes) yield content.subarray(at, at + bytes);
}

describeStores('objects', (openStore) => {
  let stored: StoreFixture;
  beforeAll(async () => {
    stored = await openStore();
  }, 30_000);
  beforeEach(() => stored.clear());
  afterAll(async () => {
    await stored?.cleanUp();
  });
  const read = async (name: string) => {
    const content = await stored.store.read(name);
    return content && buffer(content);
  };

  test.each([0, 1, PART_BYTES - 1, PART_BYTES, PART_BYTES + 1, 2 * PART_BYTES, 12 * MIB])(
    '%i bytes are read as they were written',
    async (bytes) => {
      const content = randomBytes(bytes);
      await stored.store.put('object', piecesOf(content));
      expect((await read('object'))?.equals(content)).toBe(true);
      expect(stored.objects()).toEqual(['object']);
    },
  );

  test('an object does not exist before it is whole', async () => {
    const content = async function* () {
      yield Buffer.alloc(11 * MIB);
      // A folder has the file already: only a complete upload has a row.
      if (!stored.objects().includes('object')) expect(await read('object')).toBeUndefined();
      yield Buffer.alloc(MIB);
    };
    await stored.store.put('object', content());
    expect((await read('object'))?.length).toBe(12 * MIB);
  });

  test.each([0, 1, 4, 11])(
    'content that throws after %i MiB leaves nothing, and its error is thrown',
    async (mib) => {
      const broken = async function* () {
        yield* piecesOf(Buffer.alloc(mib * MIB));
        throw new Error('client disconnected');
      };
      await expect(stored.store.put('object', broken())).rejects.toThrow('client disconnected');
      expect(stored.objects()).toEqual([]);
      expect(await stored.store.read('object')).toBeUndefined();
    },
  );

  test('what is deleted does not exist, and may be deleted again', async () => {
    await stored.store.put('object', piecesOf(Buffer.from('text')));
    await stored.store.put('object-2', piecesOf(Buffer.from('other')));
    await stored.store.delete('object');
    await stored.store.delete('object');
    await stored.store.delete('never-written');
    expect(await stored.store.read('object')).toBeUndefined();
    expect(await text((await stored.store.read('object-2'))!)).toBe('other');
    expect(stored.objects()).toEqual(['object-2']);
  });

  test('many objects are written and read at once', async () => {
    const contents = Array.from({ length: 12 }, () => randomBytes(6 * MIB));
    await Promise.all(contents.map((content, at) => stored.store.put(`object-${at}`, piecesOf(content))));
    const found = await Promise.all(contents.map((_, at) => read(`object-${at}`)));
    expect(found.map((content, at) => content?.equals(contents[at]!))).toEqual(contents.map(() => true));
  });

  test('a reader may leave in the middle', async () => {
    await stored.store.put('object', piecesOf(randomBytes(12 * MIB)));
    for (let at = 0; at < 300; at++) {
      for await (const piece of (await stored.store.read('object'))!) {
        expect(piece.length).toBeGreaterThan(0);
        break;
      }
    }
    expect((await read('object'))?.length).toBe(12 * MIB);
  });

  test('it is reached', async () => {
    expect(await stored.store.reached()).toBe(true);
  });
});
