import { expect, test } from '@jest/globals';
import { uploadOf } from '../domain/upload.fixture';
import { anOrder } from '../images/rules/image-order.fixture';
import type { ImageResult } from '../images/rules/image-provider';
import { toImageEvents } from './image-events';

const image = (base64: string) => ({ mime: 'image/webp', base64 });
const TOKENS = { textInput: 3, imageInput: 4, output: 50, textOutput: 6 };

function eventsOf(result: ImageResult, order: Parameters<typeof anOrder>[0] = {}) {
  const { body, headers } = toImageEvents(result, anOrder(order), 5_999);
  expect(headers['content-type']).toBe('text/event-stream; charset=utf-8');
  const frames = body.toString().split('\n\n');
  expect(frames.pop()).toBe('');
  return frames.map((frame) => {
    const [, name, data] = /^event: (.+)\ndata: (.+)$/.exec(frame)!;
    const event = JSON.parse(data!);
    expect(event.type).toBe(name);
    return event;
  });
}

test('an image is a completed event with every required field', () => {
  const order = { size: { width: 1_536, height: 1_024 }, quality: 'low', background: 'opaque' };
  expect(eventsOf({ images: [image('aGk=')], tokens: TOKENS }, order)).toEqual([
    {
      type: 'image_generation.completed',
      b64_json: 'aGk=',
      created_at: 5,
      size: '1536x1024',
      quality: 'low',
      background: 'opaque',
      output_format: 'webp',
      usage: {
        input_tokens: 7,
        input_tokens_details: { image_tokens: 4, text_tokens: 3 },
        output_tokens: 56,
        output_tokens_details: { image_tokens: 50, text_tokens: 6 },
        total_tokens: 63,
      },
    },
  ]);
});

test('what neither the caller nor the catalog sets is auto, and tokens that are not counted are zero', () => {
  const [event] = eventsOf({ images: [image('aGk=')] });
  expect(event).toMatchObject({ quality: 'auto', background: 'auto', usage: { total_tokens: 0 } });
});

test('the usage of several images is in the last event only', () => {
  const events = eventsOf({ images: [image('YQ=='), image('Yg=='), image('Yw==')], tokens: TOKENS });
  expect(events.map(({ b64_json }) => b64_json)).toEqual(['YQ==', 'Yg==', 'Yw==']);
  expect(events.map(({ usage }) => usage.total_tokens)).toEqual([0, 0, 63]);
});

test('an edit has events of its own', () => {
  const [event] = eventsOf({ images: [image('aGk=')] }, { images: [uploadOf('image', 'a')] });
  expect(event.type).toBe('image_edit.completed');
});
