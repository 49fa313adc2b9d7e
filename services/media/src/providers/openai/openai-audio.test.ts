import { describe, expect, test } from '@jest/globals';
import type { AudioReply, SpeechOrder } from '../../audio/rules/audio-provider';
import { aProviderCall } from '../../images/rules/image-order.fixture';
import { type FakeReply, FakeUpstream } from '../../testing/fake-upstream';
import { openAiAudio } from './openai-audio';

const ACCOUNT = { id: 'openai', baseUrl: 'https://api.example.com/v1', apiKey: 'k' };
const ORDER: SpeechOrder = {
  ...{ upstreamModel: 'tts-1', input: 'Hi', voice: 'alloy', asEvents: false, needsTokens: false },
};
const EVENTS = { 'content-type': 'text/event-stream; charset=utf-8' };
const DELTA = `data: ${JSON.stringify({ type: 'speech.audio.delta', audio: Buffer.from('ab').toString('base64') })}\r\n\r\n`;
const DONE = `data: ${JSON.stringify({
  type: 'speech.audio.done',
  usage: { input_tokens: 3, output_tokens: 40, total_tokens: 43 },
})}\n\n`;

const speak = (order: Partial<SpeechOrder>, ...replies: FakeReply[]) => {
  const upstream = new FakeUpstream(...replies);
  return { upstream, reply: openAiAudio(ACCOUNT, upstream).speak({ ...ORDER, ...order }, aProviderCall()) };
};
const events = (text: string): FakeReply => ({ headers: EVENTS, bytes: Buffer.from(text) });
async function read({ body }: AudioReply): Promise<string> {
  let text = '';
  for await (const piece of body) text += piece.toString();
  return text;
}

describe('speech', () => {
  test('is requested with all that the order says', async () => {
    const { upstream, reply } = speak(
      { instructions: 'Calm.', format: 'wav', speed: 0.5, voice: { id: 'v' } },
      { bytes: Buffer.from('x') },
    );
    await reply;
    const [sent] = upstream.sent;
    expect(sent).toMatchObject({
      method: 'POST',
      url: 'https://api.example.com/v1/audio/speech',
      headers: { authorization: 'Bearer k', 'content-type': 'application/json', 'x-request-id': 'r' },
    });
    expect(JSON.parse(sent!.body)).toEqual({
      ...{ model: 'tts-1', input: 'Hi', voice: { id: 'v' } },
      ...{ instructions: 'Calm.', response_format: 'wav', speed: 0.5 },
    });
  });

  test('is passed through as audio of the requested format', async () => {
    const headers = { 'content-type': 'text2/strange' };
    const reply = await speak({ format: 'opus' }, { headers, bytes: Buffer.from('OggS') }).reply;
    expect([reply.contentType, reply.isEvents, await read(reply), reply.use()]).toEqual([
      ...['audio/ogg', false, 'OggS', undefined],
    ]);
  });

  test('is requested as events and decoded if its price needs tokens', async () => {
    const { upstream, reply } = speak({ needsTokens: true }, events(DELTA + DELTA + DONE));
    const begun = await reply;
    expect(JSON.parse(upstream.sent[0]!.body)).toMatchObject({ stream_format: 'sse' });
    expect([begun.contentType, begun.use(), await read(begun), begun.use()]).toEqual([
      ...['audio/mpeg', undefined, 'abab'],
      { tokens: { textInput: 3, audioInput: 0, textOutput: 0, audioOutput: 40 } },
    ]);
  });

  test('is passed through as events to a client that wants them', async () => {
    const reply = await speak({ asEvents: true }, events(`: hello\n\n${DELTA}${DONE}data: [DONE]\n\n`)).reply;
    expect([reply.contentType, reply.isEvents]).toEqual(['text/event-stream', true]);
    expect(await read(reply)).toBe(DELTA + DONE);
  });

  test.each([
    ['ends before its last event', events(DELTA)],
    ['reports an error', events(`${DELTA}data: {"error":{"message":"x"}}\n\n`)],
    ['reports an error by its type', events(`${DELTA}event: error\ndata: {"type":"error"}\n\n`)],
    ['contains no JSON', events('data: {"type":\n\n')],
    ['has no bytes', { bytes: Buffer.alloc(0) }],
  ])('that %s is broken', async (_what, reply) => {
    const headers = { ...('headers' in reply && reply.headers), 'x-request-id': 'req_7' };
    const begun = await speak({ needsTokens: 'headers' in reply }, { ...reply, headers }).reply;
    await expect(read(begun)).rejects.toMatchObject({
      failure: { kind: 'broken' },
      providerRequestId: 'req_7',
    });
  });

  test.each([
    ['JSON with a status of success', {}, { headers: { 'content-type': 'application/json' }, json: {} }],
    ['audio instead of events', { asEvents: true }, { bytes: Buffer.from('x') }],
  ])('answered with %s is broken', async (_what, order, reply) => {
    await expect(speak(order, reply as FakeReply).reply).rejects.toMatchObject({
      failure: { kind: 'broken' },
    });
  });

  test.each([
    [429, { code: 'insufficient_quota' }, { status: 402 }],
    [429, { code: 'rate_limit_exceeded' }, { status: 429 }],
    [400, { message: 'No such voice.' }, { status: 400, message: 'No such voice.' }],
    [500, {}, { status: 500 }],
  ])('refused with %i %j', async (status, error, failure) => {
    await expect(speak({}, { status, json: { error } }).reply).rejects.toMatchObject({ failure });
  });
});
