import { Quota } from '@gateway/quota';
import { describe, expect, test } from '@jest/globals';
import { AudioIdSealer } from '../../domain/audio-ids';
import { audioOf } from '../../domain/usage';
import { countCompletion } from './count-completion';
import { PassThroughChunks } from './pass-through-chunks';
import { QUIRKS } from './quirks';
import { countSpeech } from './speech';

const ids = new AudioIdSealer(['secret']).of('account-1');
const ID = 'audio_abc';
/** A second of `pcm16`. */
const SECOND = Buffer.alloc(48_000).toString('base64');

const chunk = (delta: object, more: object = {}) =>
  Buffer.from(
    `data: ${JSON.stringify({ id: 'chatcmpl-1', model: 'audio', choices: [{ index: 0, delta }], ...more })}\n\n`,
  );

const streamOf = (includeUsage = false) =>
  new PassThroughChunks({
    model: 'sim/audio',
    includeUsage,
    chargedNano: () => 7n,
    quirks: QUIRKS.openai,
    bufferQuota: new Quota({ limit: 1_000_000 }),
    audioIds: ids,
  });

function passed(stream: PassThroughChunks, event: Buffer) {
  const taken = stream.take(event);
  if (taken.kind !== 'pass') throw new Error(`the event is not passed: ${taken.kind}`);
  return JSON.parse(taken.bytes.toString().slice('data: '.length));
}

describe('a stream of a spoken reply', () => {
  test("names the audio by the account's id and keeps everything else", () => {
    const stream = streamOf();
    const first = passed(stream, chunk({ audio: { id: ID, transcript: 'Hi' } }, { usage: null }));
    expect(first).toEqual({
      id: 'chatcmpl-1',
      model: 'sim/audio',
      choices: [{ index: 0, delta: { audio: { id: ids.seal(ID), transcript: 'Hi' } } }],
    });
    const data = passed(stream, chunk({ audio: { id: ID, data: SECOND } }));
    expect(data.choices[0].delta.audio).toEqual({ id: ids.seal(ID), data: SECOND });
    const last = passed(stream, chunk({ audio: { expires_at: 1 } }));
    expect(last.choices[0].delta.audio).toEqual({ expires_at: 1 });
  });

  test('is counted by the length of its audio and the text of its transcript', () => {
    const stream = streamOf();
    passed(stream, chunk({ audio: { id: ID, transcript: 'Hello world' } }));
    for (let second = 0; second < 3; second++) passed(stream, chunk({ audio: { id: ID, data: SECOND } }));
    expect(stream.audioOutput).toBe(60);
    expect(stream.countOutput()).toBe(60 + 2);
    // The audio's bytes are no text: they must not make the reply look longer than its maximum.
    expect(stream.estimateOutput()).toBeLessThan(60 + 20);
  });

  test('shows the cost in a chunk of audio that has the usage', () => {
    const stream = streamOf(true);
    const usage = {
      prompt_tokens: 5,
      completion_tokens: 60,
      completion_tokens_details: { audio_tokens: 50 },
    };
    const shown = passed(stream, chunk({ audio: { expires_at: 1 } }, { usage }));
    expect(shown.usage).toEqual({ ...usage, cost: 0.000000007 });
    expect(stream.usage && audioOf(stream.usage)).toEqual({ input: 0, cacheRead: 0, output: 50 });
  });

  test('breaks at an error of the provider', () => {
    const event = Buffer.from('data: {"error":{"message":"\\"audio\\""},"audio":1}\n\n');
    expect(streamOf().take(event)).toEqual({ kind: 'error' });
  });
});

test('a completion without figures counts its audio by its duration and its transcript', () => {
  const completion = {
    choices: [{ message: { content: null, audio: { data: SECOND, transcript: 'Hello world' } } }],
  };
  expect(countSpeech(completion)).toBe(20);
  expect(countCompletion(completion)).toBe(22);
  expect(countSpeech({ choices: [{ message: { content: 'Hello' } }] })).toBe(0);
});
