import { secondsOfSpeech, silence } from '../../domain/files/speech';
import type { CallOutcome } from '../../domain/meter';
import { textPrompt } from '../../domain/prompt';
import { NO_USAGE } from '../../domain/usage';
import type { Call } from '../../http/call';
import { type StreamFrames, writeStream } from '../../http/write-stream';
import { type Exchange, handleMetered, type ParsedRequest, readJson } from '../handle-call';
import { isObject } from '../json';
import { isModelName } from '../model-name';
import type { ProviderProtocol } from '../protocol';
import type { ProviderDeps } from '../provider';
import { errorOfStatus, invalid, missing, wrongType } from './error';
import { imagesProtocol } from './images';

interface SpeechRequest extends ParsedRequest {
  readonly input: string;
  readonly format: string;
}

const MAX_CHARS = 4_096;
const FIELDS = new Set([
  'model',
  'input',
  'voice',
  'instructions',
  'response_format',
  'speed',
  'stream_format',
]);
const FORMATS: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};
/** 1,250 tokens a minute. */
const TOKENS_PER_SECOND = 1_250 / 60;
const DEFAULT_CHUNKS = 4;
/** They send no events (developers.openai.com, "Text to speech"). */
const WITHOUT_EVENTS = /^tts-1/;

/** Handles a call for speech, which is silence of the length that its text would take. */
export function handleSpeech(call: Call, deps: ProviderDeps): Promise<void> {
  return handleMetered(
    call,
    deps,
    imagesProtocol,
    () => readJson(call, deps, imagesProtocol, parseSpeech),
    sendSpeech,
  );
}

/** @throws ProviderError for what the real API refuses */
function parseSpeech(body: unknown): SpeechRequest {
  if (!isObject(body)) throw invalid('Invalid body: expected an object.');
  const unknown = Object.keys(body).find((field) => !FIELDS.has(field));
  if (unknown !== undefined) throw invalid(`Unrecognized request argument supplied: ${unknown}`, unknown);
  const { model, input, voice, response_format: format = 'mp3', speed = 1, stream_format = 'audio' } = body;
  if (!isModelName(model)) throw missing('model');
  if (typeof input !== 'string' || input === '') throw missing('input');
  if (Array.from(input).length > MAX_CHARS) throw invalid('String too long.', 'input');
  if (typeof voice !== 'string' && !isObject(voice)) throw missing('voice');
  if (typeof format !== 'string' || !Object.hasOwn(FORMATS, format))
    throw wrongType('response_format', 'a supported format');
  if (typeof speed !== 'number' || speed < 0.25 || speed > 4) throw wrongType('speed', 'from 0.25 to 4');
  if (stream_format !== 'audio' && stream_format !== 'sse') throw wrongType('stream_format', 'audio or sse');
  const stream = stream_format === 'sse';
  if (stream && WITHOUT_EVENTS.test(model)) throw invalid('This model has no events.', 'stream_format');
  return { model, stream, prompt: textPrompt(input), input, format };
}

async function sendSpeech(exchange: Exchange<SpeechRequest, ProviderProtocol>): Promise<CallOutcome> {
  const { call, deps, request, directive, identity, protocol } = exchange;
  const { input, format, stream } = request;
  const seconds = secondsOfSpeech(input);
  const usage = {
    ...NO_USAGE,
    promptTokens: directive.usage?.prompt_tokens ?? deps.tokenizer.count(input),
    completionTokens: directive.usage?.completion_tokens ?? Math.ceil(seconds * TOKENS_PER_SECOND),
  };
  const audio = silence(format, seconds);
  const count = directive.chunks ?? DEFAULT_CHUNKS;
  const pieceOf = (index: number) =>
    audio.subarray(
      Math.floor((index * audio.length) / count),
      Math.floor(((index + 1) * audio.length) / count),
    );
  const done = {
    type: 'speech.audio.done',
    usage: {
      input_tokens: usage.promptTokens,
      output_tokens: usage.completionTokens,
      total_tokens: usage.promptTokens + usage.completionTokens,
    },
  };
  const frames: StreamFrames = stream
    ? {
        head: '',
        count,
        piece: (index) => toEvent({ type: 'speech.audio.delta', audio: pieceOf(index).toString('base64') }),
        tail: toEvent(done),
      }
    : {
        head: '',
        count,
        piece: (index) => pieceOf(index).toString('latin1'),
        tail: '',
        encoding: 'latin1',
      };
  call.res.writeHead(200, {
    'content-type': stream ? 'text/event-stream; charset=utf-8' : FORMATS[format],
    'transfer-encoding': 'chunked',
    ...protocol.headers(identity.id),
  });
  const { end } = await writeStream(call, frames, {
    chunkDelayMs: directive.chunk_delay_ms ?? 0,
    dropAfter: directive.drop_after_chunks ?? (directive.stream_error ? count : Number.POSITIVE_INFINITY),
    ...(directive.stream_error && stream && { failure: toEvent(errorOfStatus(503).toBody(identity.id)) }),
  });
  return { status: 200, usage, finished: end === 'finished', aborted: end === 'aborted' };
}

export const toEvent = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
