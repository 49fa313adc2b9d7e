import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { GatewayError } from '@gateway/errors';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openFilesIn } from '../testing/open-files';
import { formType, gather, inPieces, pngBytes, type WrittenPart, writeForm } from '../testing/write-form';
import { FORM_LIMITS, type Form, type FormLimits } from './form';
import { FormReader } from './form-reader';
import { UploadQuota } from './upload-quota';

const RULES = { files: { image: 1, 'image[]': 16, mask: 1 }, kinds: ['png', 'jpeg', 'webp'] };
const KIB = 1024;
const SMALL: FormLimits = {
  maxBytes: 600 * KIB,
  maxFiles: 3,
  maxFileBytes: 200 * KIB,
  maxFilesBytes: 400 * KIB,
  maxFields: 4,
  maxFieldBytes: 4 * KIB,
  maxFieldsBytes: 8 * KIB,
};

let directory: string;
let space: UploadQuota;
beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'form-reader-'));
  space = spaceOf(4 * FORM_LIMITS.maxFilesBytes);
});
afterAll(() => rmSync(directory, { recursive: true }));
afterEach(() => {
  expect(readdirSync(directory)).toEqual([]);
  expect(openFilesIn(directory)).toBe(0);
  expect(space.usedBytes).toBe(0);
});

const spaceOf = (maxBytes: number) =>
  new UploadQuota({ maxBytes, maxFormBytes: SMALL.maxFilesBytes, hasFunds: async () => true });

interface Read {
  readonly limits?: FormLimits;
  readonly pieceBytes?: number;
  readonly boundary?: string;
  readonly contentType?: string;
  readonly body?: AsyncIterable<Buffer>;
}

function read(bytes: Buffer | readonly WrittenPart[], how: Read = {}): Promise<Form> {
  const reader = new FormReader({ directory, space, limits: how.limits ?? SMALL });
  const whole = Buffer.isBuffer(bytes) ? bytes : writeForm(bytes, how.boundary);
  return reader.read({
    contentType: how.contentType ?? formType(how.boundary),
    body: how.body ?? inPieces(whole, how.pieceBytes ?? 16 * KIB),
    accountId: 'account-1',
    rules: RULES,
  });
}

const png = (name: string, bytes = 100, fill = 0): WrittenPart => ({ name, bytes: pngBytes(bytes, fill) });

test('fields and files are read unchanged, however the body is chunked', async () => {
  const large = pngBytes(20 * KIB, 7);
  const parts: WrittenPart[] = [
    { name: 'image[]', bytes: large },
    { name: 'prompt', value: 'ünï \u{1f600}\r\n--form' },
    {
      name: 'image[]',
      bytes: Buffer.concat([Buffer.from('ffd8ff', 'hex'), Buffer.alloc(20, '\r\n--form-bound')]),
    },
    { name: 'n', value: '2' },
    { name: 'mask', bytes: Buffer.from('RIFF\0\0\0\0WEBPxyz', 'latin1'), type: 'image/png' },
  ];
  for (const pieceBytes of [1, 7, 1_000, 16 * KIB, 1_000_000]) {
    const form = await read(parts, { pieceBytes });
    expect([...form.fields]).toEqual([
      ['prompt', 'ünï \u{1f600}\r\n--form'],
      ['n', '2'],
    ]);
    expect(form.uploads.map(({ part, kind, bytes }) => [part, kind, bytes])).toEqual([
      ['image[]', 'png', 20 * KIB],
      ['image[]', 'jpeg', 23],
      ['mask', 'webp', 15],
    ]);
    expect((await gather(form.uploads[0]!.open())).equals(large)).toBe(true);
    // Reads it again, twice concurrently.
    const both = await Promise.all([gather(form.uploads[0]!.open()), gather(form.uploads[0]!.open())]);
    expect(both.every((bytes) => bytes.equals(large))).toBe(true);
    expect(space.usedBytes).toBe(20 * KIB + 23 + 15);
    expect(readdirSync(directory)).toEqual([]);
    await form.close();
    await form.close();
    await expect(gather(form.uploads[0]!.open())).rejects.toThrow();
  }
});

test('a file has its number of pixels, however the body is chunked', async () => {
  const known = pngBytes(2 * KIB);
  known.write('IHDR', 12, 'latin1');
  known.writeUInt32BE(300, 16);
  known.writeUInt32BE(200, 20);
  for (const pieceBytes of [1, 7, 16 * KIB]) {
    const form = await read([{ name: 'image', bytes: known }, png('mask')], { pieceBytes });
    expect(form.uploads.map(({ pixels }) => pixels)).toEqual([60_000, undefined]);
    await form.close();
  }
});

test('the digest depends on the parts only, not on the boundary', async () => {
  const digestOf = async (parts: WrittenPart[], how: Read = {}) => {
    const form = await read(parts, how);
    await form.close();
    return form.digest;
  };
  const parts = [png('image', 100), { name: 'prompt', value: 'x' }];
  const digest = await digestOf(parts);
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  expect(await digestOf(parts, { boundary: 'another-one', pieceBytes: 3 })).toBe(digest);
  const others: WrittenPart[][] = [
    [png('image', 100, 1), { name: 'prompt', value: 'x' }],
    [png('mask', 100), { name: 'prompt', value: 'x' }],
    [png('image', 101), { name: 'prompt', value: 'x' }],
    [png('image', 100), { name: 'prompt', value: 'y' }],
    [png('image', 100), { name: 'prompts', value: 'x' }],
    [png('image', 100)],
    [png('image', 100), { name: 'prompt', value: 'x' }, { name: 'n', value: '' }],
  ];
  for (const other of others) expect(await digestOf(other)).not.toBe(digest);
});

const text = (name: string, value = 'x'): WrittenPart => ({ name, value });
const file = (name: string, content: string): WrittenPart => ({
  name,
  bytes: Buffer.from(content, 'latin1'),
});

test.each<[string, WrittenPart[], RegExp]>([
  ['a file under an unknown name', [png('picture')], /picture may not be a file/],
  ['a file under the name of a prototype member', [png('constructor')], /constructor may not be a file/],
  ['a file instead of text', [png('prompt')], /prompt may not be a file/],
  ['text instead of a file', [text('image')], /image must be a file/],
  ['an empty file', [file('image', '')], /image is empty/],
  [
    'a file that is not an image',
    [file('image', '%PDF-1.7 and more')],
    /image must be one of png, jpeg, webp/,
  ],
  ['a truncated image signature', [file('image', '\x89PNG')], /image must be one of/],
  ['an image of an unsupported kind', [file('image', 'GIF89a and more')], /image must be one of/],
  ['a RIFF file that is not a WebP', [file('image', 'RIFF\0\0\0\0WAVEfmt ')], /image must be one of/],
  ['too many files under one name', [png('image'), png('image')], /too many files named image/],
  ['too many files', [png('image'), png('image[]'), png('image[]'), png('mask')], /too many files/],
  ['a file that is too large', [png('image', 200 * KIB + 1)], /image is too large/],
  [
    'files that exceed the total size limit',
    [1, 2, 3].map(() => png('image[]', 150 * KIB)),
    /exceed the total size limit/,
  ],
  ['a duplicate field', [text('n'), text('n')], /n is given more than once/],
  ['a field that is too long', [text('prompt', 'x'.repeat(4 * KIB))], /prompt is too long/],
  [
    'fields that are too long together',
    ['a', 'b', 'c'].map((name) => text(name, 'x'.repeat(3 * KIB))),
    /fields of the form are too long/,
  ],
  ['too many fields', ['a', 'b', 'c', 'd', 'e'].map((name) => text(name)), /too many fields/],
])('a form with %s is invalid_request', async (_what, parts, detail) => {
  for (const pieceBytes of [500, 16 * KIB]) {
    const reading = read(parts, { pieceBytes });
    await expect(reading).rejects.toMatchObject({
      code: 'invalid_request',
      detail: expect.stringMatching(detail),
    });
  }
});

test.each([
  ['no boundary', 'multipart/form-data'],
  ['another content type', 'multipart/mixed; boundary=x'],
  ['no content type', ''],
])('a form with %s is invalid_request', async (_what, contentType) => {
  await expect(read([], { contentType })).rejects.toMatchObject({ code: 'invalid_request' });
});

test.each([['windows-1251'], ['utf-16'], ['x-unknown']])(
  'text in the charset %s is invalid_request',
  async (charset) => {
    const head = 'Content-Disposition: form-data; name="prompt"';
    const type = `Content-Type: text/plain; charset=${charset}`;
    const body = Buffer.from(`--form-boundary\r\n${head}\r\n${type}\r\n\r\nhi\r\n--form-boundary--\r\n`);
    await expect(read(body)).rejects.toMatchObject({
      code: 'invalid_request',
      detail: 'prompt: unknown charset',
    });
  },
);

test('text that is not UTF-8 is invalid_request', async () => {
  const whole = writeForm([text('prompt', 'caf@')]);
  whole[whole.indexOf('@')] = 0xe9;
  for (const pieceBytes of [1, 16 * KIB]) {
    await expect(read(whole, { pieceBytes })).rejects.toMatchObject({
      code: 'invalid_request',
      detail: 'prompt is not valid UTF-8, or contains U+FFFD',
    });
  }
});

test('a form that is truncated or has another boundary is invalid_request', async () => {
  const whole = writeForm([text('prompt', 'words'), png('image', 40), png('mask', 30)]);
  // The line break after the last boundary is optional.
  for (let length = 0; length < whole.length - 2; length += 2) {
    await expect(read(whole.subarray(0, length), { pieceBytes: 64 })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  }
  const reading = read(whole, { contentType: formType('unlike') });
  await expect(reading).rejects.toMatchObject({ code: 'invalid_request' });
});

test('a form that goes on with a file after its last boundary is invalid_request', async () => {
  const form = writeForm([text('prompt'), png('image', 40)]);
  const rest = writeForm([text('n'), png('mask', 30)]);
  for (const length of [rest.length - 20, rest.length]) {
    await expect(read(Buffer.concat([form, rest.subarray(0, length)]))).rejects.toMatchObject({
      code: 'invalid_request',
      detail: 'the form goes on after its last boundary',
    });
  }
});

test('a body over the limit is invalid_request before it is received completely', async () => {
  let sent = 0;
  const endless = (async function* () {
    yield writeForm([text('prompt')]);
    for (;;) {
      sent += 1;
      yield Buffer.alloc(64 * KIB);
    }
  })();
  await expect(read([], { body: endless })).rejects.toMatchObject({ detail: 'the body is too large' });
  expect(sent).toBeLessThan(12);
});

test('an invalid file is rejected while it is received', async () => {
  let taken = 0;
  const form = writeForm([file('image', `%PDF-1.7${'x'.repeat(150 * KIB)}`)]);
  const body = (async function* () {
    for await (const piece of inPieces(form, 2 * KIB)) {
      taken += piece.length;
      yield piece;
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  await expect(read([], { body })).rejects.toMatchObject({ code: 'invalid_request' });
  expect(taken).toBeLessThan(form.length);
});

test('a body that fails rejects with its error and leaves no file', async () => {
  const form = writeForm([png('image', 100 * KIB), text('prompt')]);
  for (const length of [10, 120, 60 * KIB]) {
    const body = (async function* () {
      yield form.subarray(0, length);
      throw new GatewayError('internal_error', { detail: 'gone' });
    })();
    await expect(read([], { body })).rejects.toMatchObject({ detail: 'gone' });
    expect(openFilesIn(directory)).toBe(0);
  }
});

test('file space is limited per account and in total, and released space can be used again', async () => {
  const whole = space;
  space = spaceOf(400 * KIB);
  try {
    const first = await read([png('image', 60 * KIB)]);
    await expect(read([png('image', 60 * KIB)])).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: 1,
    });
    await first.close();
    await (await read([png('image', 60 * KIB)])).close();
    expect(space.usedBytes).toBe(0);
  } finally {
    space = whole;
  }
});

test('any mutated form is either read or rejected, and leaves no file', async () => {
  const originals = [
    writeForm([text('prompt', 'a cat'), png('image', 60), text('n', '2')]),
    writeForm([png('image[]', 300), png('image[]', 20), png('mask', 12), text('size', '1024x1024')]),
    Buffer.concat([Buffer.from('preamble\r\n'), writeForm([text('a'), text('b')]), Buffer.from('epilogue')]),
  ];
  const scraps = [
    '\r\n',
    '\r',
    '\n',
    '--',
    '--form-boundary',
    '\r\n--form-boundary--',
    '\0',
    '"',
    ';',
    ': ',
    'filename="x"',
  ];
  const edit = fc.record({
    at: fc.nat(2_000),
    remove: fc.integer({ min: 0, max: 60 }),
    put: fc.oneof(
      fc.constantFrom(...scraps).map((scrap) => Buffer.from(scrap)),
      fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
    ),
  });
  const mutated = fc
    .tuple(fc.constantFrom(...originals), fc.array(edit, { minLength: 1, maxLength: 4 }))
    .map(([original, edits]) =>
      edits.reduce<Buffer>((bytes, { at, remove, put }) => {
        const place = at % (bytes.length + 1);
        return Buffer.concat([bytes.subarray(0, place), put, bytes.subarray(place + remove)]);
      }, original),
    );
  await fc.assert(
    fc.asyncProperty(mutated, fc.integer({ min: 1, max: 400 }), async (bytes, pieceBytes) => {
      const form = await read(bytes, { pieceBytes }).catch((error: unknown) => error);
      if (form instanceof GatewayError) expect(form.code).toBe('invalid_request');
      else {
        expect(form).toMatchObject({ digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
        const { uploads, close } = form as Form;
        for (const upload of uploads) expect((await gather(upload.open())).length).toBe(upload.bytes);
        await close();
      }
      expect(openFilesIn(directory)).toBe(0);
      expect(space.usedBytes).toBe(0);
    }),
    { numRuns: process.env.TEST_HEAVY ? 20_000 : 500 },
  );
});
