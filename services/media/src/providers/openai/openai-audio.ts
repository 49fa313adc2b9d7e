import { randomBytes } from 'node:crypto';
import { textOf } from '@gateway/upstream';
import type {
  AudioProvider,
  AudioReply,
  SpeechOrder,
  TranscriptionOrder,
} from '../../audio/rules/audio-provider';
import type { Upstream, UpstreamReply } from '../../domain/upstream';
import type { UpstreamBody } from '../../domain/upstream-body';
import type { ProviderCall } from '../../images/rules/image-provider';
import { formBody } from '../form-body';
import { jsonBody } from '../json-body';
import type { ProviderAccount } from '../provider-account';
import { brokenReply } from '../refusal';
import { isSuccess } from '../send-json';
import {
  bytesReply,
  eventsReply,
  isEventStream,
  parseJson,
  type ReadEvent,
  readWhole,
  speechUse,
  toEvent,
  transcriptUse,
  typeOf,
  wholeReply,
} from './audio-reply';
import { refusedCall } from './refused-call';

/** Uncompressed speech of the longest text at the lowest speed is 50 MB. */
const MAX_SPEECH_BYTES = 64 * 1024 ** 2;
export const MAX_TRANSCRIPT_BYTES = 8 * 1024 ** 2;

const SPEECH_TYPES: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};
export const TRANSCRIPT_TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  verbose_json: 'application/json',
  diarized_json: 'application/json',
  text: 'text/plain; charset=utf-8',
  srt: 'text/plain; charset=utf-8',
  vtt: 'text/vtt; charset=utf-8',
};
const EVENT_STREAM = 'text/event-stream';

export interface AudioRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string;
  readonly body: UpstreamBody;
  readonly maxReplyBytes: number;
}

/** Where and how a provider of OpenAI's format is called. */
export interface AudioEndpoint {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  urlOf(path: 'speech' | TranscriptionOrder['task'], upstreamModel: string): URL;
}

/** OpenAI's audio API. @param account its base URL ends with `/v1` */
export function openAiAudio({ id, baseUrl, apiKey }: ProviderAccount, upstream: Upstream): AudioProvider {
  const base = `${baseUrl.replace(/\/+$/, '')}/audio`;
  const headers = apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` };
  return audioAt({ id, headers, urlOf: (path) => new URL(`${base}/${path}`) }, upstream);
}

/** OpenAI's audio API at an endpoint. */
export function audioAt({ id, headers, urlOf }: AudioEndpoint, upstream: Upstream): AudioProvider {
  return {
    id,
    async speak(order, call) {
      const reply = await sendAudio(
        upstream,
        {
          url: urlOf('speech', order.upstreamModel),
          headers,
          contentType: 'application/json',
          body: jsonBody(speechFields(order)),
          maxReplyBytes: MAX_SPEECH_BYTES,
        },
        call,
      );
      return readSpeech(reply, order);
    },
    async transcribe(order, call) {
      const { task, upstreamModel, file, fields, format, stream, needsTokens } = order;
      // Text has no usage; the text of JSON is the same.
      const sentFormat = format === 'text' && needsTokens && !stream ? 'json' : format;
      const { contentType, body } = formBody(
        [
          ['model', upstreamModel],
          ['response_format', sentFormat],
          ...(stream ? ([['stream', 'true']] as const) : []),
          ...fields,
        ],
        [{ part: 'file', upload: file }],
        randomBytes(24).toString('hex'),
      );
      const url = urlOf(task, upstreamModel);
      const maxReplyBytes = MAX_TRANSCRIPT_BYTES;
      const reply = await sendAudio(upstream, { url, headers, contentType, body, maxReplyBytes }, call);
      if (stream) return readTranscriptEvents(reply);
      const type = TRANSCRIPT_TYPES[format]!;
      if (TRANSCRIPT_TYPES[sentFormat] !== 'application/json') return bytesReply(reply, type);
      const bytes = await readWhole(reply);
      const transcript = parseJson(bytes);
      const sent = format === 'text' ? Buffer.from(`${textOf(transcript.text)}\n`) : bytes;
      return wholeReply(sent, type, transcriptUse(transcript));
    },
  };
}

/** Resolves when a provider begins to reply with success. @throws UpstreamError */
export async function sendAudio(
  upstream: Upstream,
  { contentType, ...request }: AudioRequest,
  { requestId, signal, timeouts }: ProviderCall,
): Promise<UpstreamReply> {
  const headers = { ...request.headers, 'content-type': contentType, 'x-request-id': requestId };
  const reply = await upstream.request({
    ...request,
    method: 'POST',
    headers,
    signal,
    timeouts,
    mayPause: true,
  });
  if (isSuccess(reply.status)) return reply;
  const value = await reply.json().catch(() => undefined);
  throw refusedCall({ status: reply.status, headers: reply.headers, value });
}

function speechFields({ asEvents, needsTokens, ...order }: SpeechOrder) {
  const { upstreamModel: model, input, voice, instructions, format, speed } = order;
  return {
    model,
    input,
    voice,
    instructions,
    response_format: format,
    speed,
    ...((asEvents || needsTokens) && { stream_format: 'sse' }),
  };
}

function readSpeech(reply: UpstreamReply, { format = 'mp3', asEvents }: SpeechOrder): AudioReply {
  const contentType = SPEECH_TYPES[format] ?? 'application/octet-stream';
  if (isEventStream(reply)) {
    return asEvents
      ? eventsReply(reply, EVENT_STREAM, passSpeechEvent)
      : eventsReply(reply, contentType, decodeSpeechEvent);
  }
  const type = reply.headers['content-type'] ?? '';
  // An error with a status of success, or audio where events were requested.
  if (asEvents || /\bjson\b|^text\//i.test(type)) throw brokenReply('a reply of another form', reply.headers);
  return bytesReply(reply, contentType);
}

const passSpeechEvent = (data: Readonly<Record<string, unknown>>, event: Buffer): ReadEvent => ({
  ...decodeSpeechEvent(data),
  bytes: event,
});

function decodeSpeechEvent(data: Readonly<Record<string, unknown>>): ReadEvent {
  const isLast = typeOf(data) === 'speech.audio.done';
  const isAudio = typeOf(data) === 'speech.audio.delta';
  return {
    bytes: isAudio ? Buffer.from(textOf(data.audio), 'base64') : Buffer.alloc(0),
    isLast,
    use: isLast ? speechUse(data.usage) : undefined,
  };
}

/** @throws UpstreamError `broken` for a model that does not stream, and answers with a whole transcript */
function readTranscriptEvents(reply: UpstreamReply): AudioReply | Promise<AudioReply> {
  if (!isEventStream(reply)) return toTranscriptEvents(reply);
  return eventsReply(reply, EVENT_STREAM, (data, event) => {
    const isLast = typeOf(data) === 'transcript.text.done';
    return { bytes: event, isLast, use: isLast ? transcriptUse(data) : undefined };
  });
}

/** Some models ignore `stream` (developers.openai.com: whisper-1) and answer as a whole. */
async function toTranscriptEvents(reply: UpstreamReply): Promise<AudioReply> {
  const bytes = await readWhole(reply);
  const transcript = parseJson(bytes);
  const { text, usage } = transcript;
  const events = [
    { type: 'transcript.text.delta', delta: textOf(text) },
    { type: 'transcript.text.done', text: textOf(text), ...(usage !== undefined && { usage }) },
  ];
  const whole = wholeReply(Buffer.concat(events.map(toEvent)), EVENT_STREAM, transcriptUse(transcript));
  return { ...whole, isEvents: true };
}
