import { expect, test } from '@jest/globals';
import { toBase64, toFloats } from './vector';

const json = (text: string) => ({ json: Buffer.from(text) });

test('floats become little-endian float32 in base64', () => {
  const bytes = Buffer.from(toBase64(json('[1, -0.5, 1e-3]')), 'base64');
  expect([bytes.readFloatLE(0), bytes.readFloatLE(4), bytes.readFloatLE(8)]).toEqual([
    1,
    -0.5,
    Math.fround(0.001),
  ]);
  expect(bytes).toHaveLength(12);
});

test('base64 becomes floats that give the same base64', () => {
  const base64 = toBase64(json('[0.1,-3.4028234663852886e38,1.401298464324817e-45,0]'));
  const floats = toFloats({ base64 });
  expect(JSON.parse(String(floats))).toHaveLength(4);
  expect(toBase64({ json: floats })).toBe(base64);
});

test('a vector in the requested form keeps its text', () => {
  expect(String(toFloats(json('[ 1.50,\n2E0 ]')))).toBe('[ 1.50,\n2E0 ]');
  expect(toBase64({ base64: 'AACAPw==' })).toBe('AACAPw==');
});

test('base64 of another alphabet or without padding becomes the usual one', () => {
  expect(toBase64({ base64: '-_-APw' })).toBe('+/+APw==');
});

test.each(['AACAP', 'AACA', '', 'AA!APw=='])('refuses the malformed base64 %j', (base64) => {
  expect(() => toFloats({ base64 })).toThrow('malformed');
  expect(() => toBase64({ base64 })).toThrow('malformed');
});

test.each(['[1,"a"]', '[1,null]', '[1,[2]'])('refuses the malformed list %s', (list) => {
  expect(() => toFloats(json(list))).toThrow();
  expect(() => toBase64(json(list))).toThrow();
});
