import { GatewayError } from '@gateway/errors';
import { createLogger } from '@gateway/process';
import { expect, test } from '@jest/globals';
import { BegunStream } from './begun-stream';
import type { WholeReply } from './image-jobs';
import type { JobLease } from './rules/job-limiter';

const log = createLogger('test', 'silent');

function open({ detailedMessages = false } = {}) {
  const client = new AbortController();
  const stream = new BegunStream(client.signal, detailedMessages);
  const run = Promise.withResolvers<WholeReply>();
  let released = 0;
  const lease: JobLease = { endJob: () => {}, release: () => void released++ };
  const ended = stream.end(run.promise, { lease, log });
  const read = async () => {
    let text = '';
    for await (const piece of stream.body) text += piece;
    return text;
  };
  return { client, stream, run, ended, read, released: () => released };
}
const reply = (text: string): WholeReply => ({ status: 200, headers: {}, body: Buffer.from(text) });

test('the reply follows the partial images, whole, and frees its memory', async () => {
  const { stream, run, ended, read, released } = open();
  const text = read();
  const pushed = [stream.push(Buffer.from('a')), stream.push(Buffer.from('b'))];
  await stream.begun;
  run.resolve(reply('c'.repeat(300_000)));
  await Promise.all([...pushed, ended]);
  expect(await text).toBe(`ab${'c'.repeat(300_000)}`);
  expect(released()).toBe(1);
});

test('an error is the last event, and an image that comes later is dropped', async () => {
  const { stream, run, ended, read } = open();
  const text = read();
  await stream.push(Buffer.from('a'));
  run.reject(new GatewayError('image_generation_timeout'));
  await ended;
  await stream.push(Buffer.from('late'));
  expect(await text).toMatch(/^adata: \{"error":\{.*"image_generation_timeout".*\}\}\n\n$/);
});

test('the message of an error has its detail where the key asks for it', async () => {
  const { stream, run, ended, read } = open({ detailedMessages: true });
  const text = read();
  await stream.push(Buffer.from('a'));
  run.reject(new GatewayError('image_generation_failed', { detail: 'refused' }));
  await ended;
  expect(await text).toContain('"message":"Image generation failed. refused"');
});

test('after another answer images are dropped', async () => {
  const { stream } = open();
  stream.close();
  await stream.push(Buffer.from('late'));
});

test('a client that has left holds nothing up', async () => {
  const { client, stream, run, ended, released } = open();
  const pushed = stream.push(Buffer.from('a'));
  client.abort();
  await pushed;
  await stream.push(Buffer.from('b'));
  run.resolve(reply('c'));
  await ended;
  expect(released()).toBe(1);
});
