import { expect, test } from '@jest/globals';
import { readFileForm } from './read-file-form';

const PURPOSE = '--b\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n';
const FILE = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n{}';

/** Reads a form that arrives in one piece; returns what it says of the file, and the stored content. */
async function read(form: string) {
  let content = '';
  const file = await readFileForm(
    {
      contentType: 'multipart/form-data; boundary=b',
      body: (async function* () {
        yield Buffer.from(form);
      })(),
      maxFileBytes: 1_000,
    },
    async (pieces) => {
      for await (const piece of pieces) content += piece.toString();
    },
  );
  return { file, content };
}

test('a form is read, whether its purpose or its file comes first', async () => {
  for (const form of [`${PURPOSE}${FILE}\r\n--b--\r\n`, `${FILE}\r\n${PURPOSE}--b--\r\n`]) {
    expect(await read(form)).toMatchObject({
      file: { filename: 'a.jsonl', purpose: 'batch' },
      content: '{}',
    });
  }
});

test('a form that goes on with a file after its last boundary is invalid_request', async () => {
  for (const rest of [FILE, `${FILE}\r\n--b--\r\n`]) {
    await expect(read(`${PURPOSE}--b--\r\n${PURPOSE}${rest}`)).rejects.toMatchObject({
      code: 'invalid_request',
      detail: 'the form goes on after its last boundary',
    });
  }
});
