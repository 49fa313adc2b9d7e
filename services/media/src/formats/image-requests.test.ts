import { describe, expect, test } from '@jest/globals';
import { uploadOf } from '../domain/upload.fixture';
import { parseImageEdit } from './image-edit';
import { parseImageGeneration } from './image-generation';

const generation = (fields: object) =>
  parseImageGeneration(Buffer.from(JSON.stringify({ model: 'sim/image', prompt: 'a cat', ...fields })));

const IMAGE = uploadOf('image', 'png');
const edit = (fields: Record<string, string>, uploads = [IMAGE]) =>
  parseImageEdit(new Map(Object.entries({ model: 'sim/image', prompt: 'a hat', ...fields })), uploads);

describe('a generation request', () => {
  test('with only the required fields gets defaults', () => {
    expect(generation({})).toEqual({
      model: 'sim/image',
      prompt: 'a cat',
      n: 1,
      streamed: false,
      hints: {},
      unsupportedFields: [],
      edit: false,
      images: [],
    });
  });

  test('with all supported fields is parsed', () => {
    const all = {
      n: 3,
      size: '1536x864',
      quality: 'high',
      output_format: 'webp',
      output_compression: 50,
      background: 'transparent',
      response_format: 'url',
      moderation: 'low',
      user: 'u',
      safety_identifier: 's',
      stream: false,
      partial_images: 0,
    };
    expect(generation(all)).toMatchObject({
      n: 3,
      size: { width: 1_536, height: 864 },
      quality: 'high',
      format: 'webp',
      compression: 50,
      background: 'transparent',
      replyAs: 'url',
      hints: { moderation: 'low', user: 'u', safety_identifier: 's' },
      unsupportedFields: [],
    });
  });

  test('treats null and auto like absent fields', () => {
    const open = {
      n: null,
      size: 'auto',
      quality: 'auto',
      background: 'auto',
      output_format: null,
      style: null,
    };
    expect(generation(open)).toEqual(generation({}));
  });

  test('lists fields of the format that no model supports', () => {
    expect(generation({ style: 'vivid', complexity: 'low' }).unsupportedFields).toEqual([
      'style',
      'complexity',
    ]);
  });

  test.each([
    [{ n: 0 }],
    [{ n: -1 }],
    [{ n: 1.5 }],
    [{ n: '2' }],
    [{ size: 'big' }],
    [{ size: '0x0' }],
    [{ size: '1024' }],
    [{ size: '1024X1024' }],
    [{ size: 1_024 }],
    [{ quality: 5 }],
    [{ quality: '' }],
    [{ output_format: 'a format' }],
    [{ output_format: ['png'] }],
    [{ output_compression: 101 }],
    [{ background: 'red' }],
    [{ response_format: 'gif' }],
    [{ moderation: 'none' }],
    [{ stream: true, response_format: 'url' }],
    [{ stream: true, partial_images: 4 }],
    [{ stream: 'false' }],
    [{ partial_images: 2 }],
    [{ partial_images: 2, stream: false }],
    [{ prompt: 7 }],
    [{ prompt: ['a'] }],
    [{ model: 7 }],
    [{ input_fidelity: 'high' }],
    [{ image: 'https://example.com/a.png' }],
    [{ whatever: 1 }],
    [{ whatever: 1, prompt: undefined }],
  ])('%j is rejected as invalid_request', (fields) => {
    expect(() => generation(fields)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  test.each([
    [{ model: undefined }, 'model'],
    [{ prompt: undefined }, 'prompt'],
    [{ prompt: null }, 'prompt'],
    [{ prompt: '' }, 'prompt'],
    [{ prompt: [] }, 'prompt'],
    [{ model: '', prompt: '' }, 'prompt'],
  ])('%j is rejected as missing_parameter', (fields, param) => {
    expect(() => generation(fields)).toThrow(expect.objectContaining({ code: 'missing_parameter', param }));
  });

  test.each([[''], [null], [[]]])('the model %j is rejected as invalid_model', (model) => {
    expect(() => generation({ model })).toThrow(expect.objectContaining({ code: 'invalid_model' }));
  });

  test.each([['[]'], ['{'], ['"a"'], [''], ['{"n":1,"n":2}']])(
    'the body %s is rejected as invalid_request',
    (body) => {
      expect(() => parseImageGeneration(Buffer.from(body))).toThrow(
        expect.objectContaining({ code: 'invalid_request' }),
      );
    },
  );
});

describe('an edit request', () => {
  test('with several images and a mask is parsed', () => {
    const images = [uploadOf('image[]', 'a'), uploadOf('image[]', 'b', 'webp')];
    const mask = uploadOf('mask', 'm');
    expect(
      edit({ n: '2', output_compression: '7', stream: 'true', partial_images: '2' }, [
        images[0]!,
        mask,
        images[1]!,
      ]),
    ).toEqual({
      model: 'sim/image',
      prompt: 'a hat',
      n: 2,
      compression: 7,
      streamed: true,
      partialImages: 2,
      hints: {},
      unsupportedFields: [],
      edit: true,
      images,
      mask,
    });
  });

  test('lists fields and files without a price as unsupported', () => {
    expect(edit({ input_fidelity: 'high' }).unsupportedFields).toEqual(['input_fidelity']);
    expect(edit({ input_fidelity: 'low' }).unsupportedFields).toEqual([]);
    expect(edit({}, [IMAGE, uploadOf('markup', 'm')]).unsupportedFields).toEqual(['markup']);
  });

  test.each([
    ['no image', {}, []],
    ['only a mask', {}, [uploadOf('mask', 'm')]],
    ['two masks', {}, [IMAGE, uploadOf('mask', 'm'), uploadOf('mask', 'm')]],
    ['a mask that is not a PNG', {}, [IMAGE, uploadOf('mask', 'm', 'jpeg')]],
    ['an animation', {}, [uploadOf('image', 'a', 'gif')]],
    ['a count that is not a number', { n: 'two' }, [IMAGE]],
    ['an empty count', { n: '' }, [IMAGE]],
    ['an unknown field', { shape: 'round' }, [IMAGE]],
    ['a field of generations', { moderation: 'low' }, [IMAGE]],
    ['a stream of links', { stream: 'true', response_format: 'url' }, [IMAGE]],
    ['partial_images', { partial_images: '1' }, [IMAGE]],
  ])('with %s is rejected', (_what, fields, uploads) => {
    expect(() => edit(fields, uploads)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  test.each([
    ['model: the part is missing', { prompt: 'a hat' }],
    ['prompt: the part is missing', { model: 'sim/image' }],
    ['prompt: the part is missing', { model: 'sim/image', promt: 'a hat' }],
    ['prompt: the part is empty', { model: 'sim/image', prompt: '' }],
    ['prompt: the part is missing', { model: '' }],
  ])('is rejected as invalid_request, not missing_parameter: %s', (detail, fields) => {
    expect(() => parseImageEdit(new Map(Object.entries(fields)), [IMAGE])).toThrow(
      expect.objectContaining({ code: 'invalid_request', param: undefined, detail }),
    );
  });

  test('with an empty model is rejected as invalid_model', () => {
    expect(() => edit({ model: '' })).toThrow(expect.objectContaining({ code: 'invalid_model' }));
  });
});
