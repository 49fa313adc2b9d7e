import { describe, expect, test } from '@jest/globals';
import type { AudioReply, TranscriptionOrder } from '../../audio/rules/audio-provider';
import { uploadOf } from '../../domain/upload.fixture';
import { aProviderCall } from '../../images/rules/image-order.fixture';
import { type FakeReply, FakeUpstream } from '../../testing/fake-upstream';
import { mistralAudio } from './mistral-audio';

const ACCOUNT = { id: 'mistral', baseUrl: 'https://api.example.com/v1', apiKey: 'k' };
const USAGE = { prompt_audio_seconds: 3, prompt_tokens: 4, completion_tokens: 7, total_tokens: 400 };
const TRANSCRIPT = { model: 'm', text: 'Hello.', language: null, segments: [], usage: USAGE };
const USE = {
  ...{ audioMs: 3_000, tokens: { textInput: 0, audioInput: 4, textOutput: 7, audioOutput: 0 } },
};

async function transcribe(order: Partial<TranscriptionOrder>, reply: FakeReply = { json: TRANSCRIPT }) {
  const upstream = new FakeUpstream(reply);
  const begun = await mistralAudio(ACCOUNT, upstream).transcribe(
    {
      ...{ upstreamModel: 'm', task: 'transcriptions', file: uploadOf('file', 'sound', 'wav'), fields: [] },
      ...{ format: 'json', stream: false, needsTokens: false, ...order },
    },
    aProviderCall(),
  );
  const [sent] = upstream.sent;
  const form = await new Response(sent!.body, {
    headers: { 'content-type': sent!.headers['content-type']! },
  }).formData();
  return { begun, url: sent!.url, form };
}
async function read({ body }: AudioReply): Promise<string> {
  let text = '';
  for await (const piece of body) text += piece.toString();
  return text;
}

describe("Mistral's transcriptions", () => {
  test('have the fields of its form', async () => {
    const { url, form } = await transcribe({
      fields: [
        ['language', 'en'],
        ['timestamp_granularities[]', 'word'],
        ['keywords[]', 'Voxtral'],
      ],
    });
    expect(url).toBe('https://api.example.com/v1/audio/transcriptions');
    expect([...form.keys()]).toEqual([
      'model',
      'language',
      'timestamp_granularities',
      'context_bias',
      'file',
    ]);
    expect((form.get('file') as File).name).toBe('file-1.wav');
  });

  test("are returned with the usage of OpenAI's format", async () => {
    const { begun } = await transcribe({});
    expect(JSON.parse(await read(begun))).toMatchObject({
      ...{ text: 'Hello.', usage: { type: 'duration', seconds: 3 } },
    });
    expect(begun.use()).toEqual(USE);
  });

  test('are returned as text', async () => {
    const { begun } = await transcribe({ format: 'text' });
    expect([await read(begun), begun.contentType]).toEqual(['Hello.\n', 'text/plain; charset=utf-8']);
  });

  test("are streamed as OpenAI's events", async () => {
    const event = (data: object) => `event: x\ndata: ${JSON.stringify(data)}\n\n`;
    const text =
      event({ type: 'transcription.language', audio_language: 'en' }) +
      event({ type: 'transcription.text.delta', text: 'Hel' }) +
      event({ type: 'transcription.segment', text: 'Hello.' }) +
      event({ type: 'transcription.done', ...TRANSCRIPT });
    const headers = { 'content-type': 'text/event-stream' };
    const { begun } = await transcribe({ stream: true }, { headers, bytes: Buffer.from(text) });
    expect(await read(begun)).toBe(
      'data: {"type":"transcript.text.delta","delta":"Hel"}\n\n' +
        `data: ${JSON.stringify({
          ...{ type: 'transcript.text.done', text: 'Hello.' },
          usage: { ...USAGE, type: 'duration', seconds: 3 },
        })}\n\n`,
    );
    expect(begun.use()).toEqual(USE);
  });

  test.each<[string, Partial<TranscriptionOrder>]>([
    ['translations', { task: 'translations' }],
    ['response_format srt', { format: 'srt' }],
    ['prompt', { fields: [['prompt', 'x']] }],
  ])('refuse %s without a request', async (what, order) => {
    await expect(transcribe(order)).rejects.toMatchObject({
      failure: { status: 400, message: expect.stringContaining(what) },
    });
  });
});
