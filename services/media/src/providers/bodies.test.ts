import { expect, test } from '@jest/globals';
import type { Upload } from '../domain/upload';
import { bodyBytes, readBody } from '../domain/upstream-body';
import { gather } from '../testing/write-form';
import { formBody } from './form-body';
import { Base64Text, jsonBody } from './json-body';

const upload = (text: string): Upload => ({
  part: 'image',
  kind: 'png',
  bytes: text.length,
  async *open() {
    yield Buffer.from(text);
  },
});

test('a JSON body is what JSON.stringify would write, files being strings of base64', async () => {
  const value = (one: unknown, two: unknown) => ({
    text: 'a "b" \u0000 ü \u2028',
    nothing: undefined,
    none: null,
    list: [1, [], {}, one, undefined, [two, 'x']],
    'a "name"': { deep: two, yes: true, number: -1.5 },
    last: one,
  });
  const files = value(
    new Base64Text(upload('one')),
    new Base64Text(upload('two!'), 'data:"image/png";base64,'),
  );
  const one = Buffer.from('one').toString('base64');
  const two = `data:"image/png";base64,${Buffer.from('two!').toString('base64')}`;
  const body = jsonBody(files);
  const written = await gather(readBody(body));
  expect(written.toString()).toBe(JSON.stringify(value(one, two)));
  expect(bodyBytes(body)).toBe(written.length);
  expect((await gather(readBody(jsonBody('x')))).toString()).toBe('"x"');
  expect((await gather(readBody(jsonBody(new Base64Text(upload('')))))).toString()).toBe('""');
});

test('a form is read by others as it was meant', async () => {
  const { contentType, body } = formBody(
    [
      ['prompt', 'ü\r\n--x'],
      ['n', ''],
    ],
    [
      { part: 'image[]', upload: upload('bytes\r\n') },
      { part: 'mask', upload: upload('') },
    ],
    'boundary-1',
  );
  const written = await gather(readBody(body));
  expect(bodyBytes(body)).toBe(written.length);
  const form = await new Response(new Uint8Array(written), {
    headers: { 'content-type': contentType },
  }).formData();
  expect(form.get('prompt')).toBe('ü\r\n--x');
  expect(form.get('n')).toBe('');
  const image = form.get('image[]') as File;
  expect({ name: image.name, type: image.type, text: await image.text() }).toEqual({
    name: 'file-1.png',
    type: 'image/png',
    text: 'bytes\r\n',
  });
  expect(((await form.get('mask')) as File).size).toBe(0);
  expect(() => formBody([['a"b', '']], [], 'x')).toThrow();
});
