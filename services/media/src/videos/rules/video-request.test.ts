import { describe, expect, test } from '@jest/globals';
import type { Upload } from '../../domain/upload';
import { parseVideoForm, parseVideoRequest } from './video-request';

const PNG = Buffer.from('89504e470d0a1a0a0000', 'hex');
const dataUrl = (bytes: Buffer) => `data:image/png;base64,${bytes.toString('base64')}`;
const body = (fields: object = {}) => ({ model: 'sim/video', prompt: 'a cat', ...fields });
const parse = (fields: object) => () => parseVideoRequest(JSON.parse(JSON.stringify(body(fields))));
const thrown = (code: string, more: object = {}) => expect.objectContaining({ code, ...more });

test('a request with all fields is parsed', () => {
  const request = parseVideoRequest(
    body({
      tier: 'pro',
      duration: 10,
      resolution: '1080p',
      aspect_ratio: '9:16',
      reference_images: ['https://example.com/a.png', dataUrl(PNG)],
    }),
  );
  expect(request).toMatchObject({
    model: 'sim/video',
    prompt: 'a cat',
    tier: 'pro',
    seconds: 10,
    resolution: '1080p',
    aspectRatio: '9:16',
    images: [{ url: 'https://example.com/a.png' }, { kind: 'png', bytes: PNG.length }],
  });
});

test('null fields are treated as absent', () => {
  const nothing = {
    tier: null,
    duration: null,
    resolution: null,
    aspect_ratio: null,
    reference_images: null,
  };
  expect(parseVideoRequest(body(nothing))).toEqual({ model: 'sim/video', prompt: 'a cat', images: [] });
});

test('an image URL is passed on unchanged', () => {
  const url = "https://example.com:8443/ä/a.png?signed=a%2Fb'&x=[1]#top";
  expect(parse({ reference_images: [url] })().images).toEqual([{ url }]);
});

describe('invalid_request', () => {
  test.each<[object, RegExp]>([
    [{ model: 7 }, /^model/],
    [{ prompt: 7 }, /^prompt/],
    [{ prompt: ['a'] }, /^prompt/],
    [{ prompt: 'x'.repeat(100_001) }, /^prompt/],
    [{ prompt: '\ud800' }, /^prompt/],
    [{ tier: 1 }, /^tier/],
    [{ duration: '5' }, /^duration/],
    [{ duration: 0 }, /^duration/],
    [{ duration: -5 }, /^duration/],
    [{ duration: [5] }, /^duration/],
    [{ resolution: 1080 }, /^resolution/],
    [{ resolution: 'high' }, /^resolution/],
    [{ resolution: '' }, /^resolution/],
    [{ aspect_ratio: '16x9' }, /^aspect_ratio/],
    [{ aspect_ratio: '0:9' }, /^aspect_ratio/],
    [{ reference_images: 'https://example.com/a.png' }, /^reference_images/],
    [{ reference_images: ['http://example.com/a.png'] }, /^reference_images\[0\]/],
    [{ reference_images: ['file:///etc/passwd'] }, /^reference_images\[0\]/],
    [{ reference_images: [dataUrl(Buffer.from('GIF89a'))] }, /^reference_images\[0\]/],
    [{ reference_images: Array(17).fill('https://example.com/a.png') }, /^reference_images/],
    [{ n: 1 }, /n/],
    [{ prompt: undefined, duration: 'long' }, /^duration/],
  ])('rejects %j', (fields, detail) => {
    expect(parse(fields)).toThrow(thrown('invalid_request', { detail: expect.stringMatching(detail) }));
  });

  test.each([
    ' https://example.com/a.png',
    'https://example.com/a.png\n',
    'https://example.com/a b.png',
    'https://exam\tple.com/a.png',
    'https://example.com/\0',
    'https://example.com/\ud800',
    'https:example.com/a.png',
    'https:///example.com/a.png',
    'https:\\\\example.com\\a.png',
    'https://',
    'https://example.com:99999/a.png',
    'https://localhost/a.png',
    'https://10.0.0.1/a.png',
    'https://[::1]/a.png',
    'https://user:word@example.com/a.png',
    'https://metadata.google.internal/a.png',
  ])('rejects the image URL %j', (link) => {
    expect(parse({ reference_images: [link] })).toThrow(
      thrown('invalid_request', { detail: expect.stringMatching(/^reference_images\[0\]/) }),
    );
  });

  test('rejects a number that JSON cannot represent', () => {
    const value = JSON.parse('{"model":"sim/video","prompt":"x","duration":1e999}');
    expect(() => parseVideoRequest(value)).toThrow(thrown('invalid_request'));
  });
});

test.each<[object, string]>([
  [{ model: undefined }, 'model'],
  [{ model: undefined, prompt: undefined }, 'model'],
  [{ prompt: undefined }, 'prompt'],
  [{ prompt: null }, 'prompt'],
  [{ prompt: '' }, 'prompt'],
  [{ prompt: [] }, 'prompt'],
  [{ model: '', prompt: '' }, 'prompt'],
])('missing_parameter rejects %j', (fields, param) => {
  expect(parse(fields)).toThrow(thrown('missing_parameter', { param }));
});

test.each([null, '', []])('invalid_model rejects the model %j', (model) => {
  expect(parse({ model })).toThrow(thrown('invalid_model'));
});

describe('a form request', () => {
  const upload = { part: 'image', kind: 'png', bytes: 10 } as Upload;
  const form = (fields: object) => () =>
    parseVideoForm(new Map(Object.entries({ model: 'sim/video', prompt: 'a cat', ...fields })), [upload]);

  test('gives the same request as JSON', () => {
    const request = form({ duration: '10', tier: 'pro', aspect_ratio: '16:9' })();
    expect(request).toMatchObject({ seconds: 10, tier: 'pro', aspectRatio: '16:9', images: [upload] });
  });

  test.each(['0', '-5', '5s', '', 'NaN', '1e3', '0x10', ' 5', '٥'])(
    'with the duration %j is rejected',
    (duration) => {
      expect(form({ duration })).toThrow(
        thrown('invalid_request', { detail: expect.stringMatching(/^duration/) }),
      );
    },
  );

  test.each([{ seconds: '5' }, { reference_images: 'https://example.com/a.png' }, { __proto__x: '' }])(
    'with the field %j is rejected',
    (fields) => expect(form(fields)).toThrow(thrown('invalid_request')),
  );

  test.each([
    ['model: the part is missing', { prompt: 'a cat' }],
    ['prompt: the part is missing', { model: 'sim/video' }],
    ['prompt: the part is missing', { model: 'sim/video', promt: 'a cat' }],
    ['prompt: the part is empty', { model: 'sim/video', prompt: '' }],
  ])('is rejected as invalid_request, not missing_parameter: %s', (detail, fields) => {
    expect(() => parseVideoForm(new Map(Object.entries(fields)), [upload])).toThrow(
      thrown('invalid_request', { param: undefined, detail }),
    );
  });

  test('with an empty model is rejected as invalid_model', () => {
    expect(form({ model: '' })).toThrow(thrown('invalid_model'));
  });

  test('with an empty tier is rejected as video_tier_not_found', () =>
    expect(form({ tier: '' })().tier).toBe(''));
});
