import type { Directive } from '../../domain/directive';
import { NO_MEDIA } from '../../domain/media-usage';
import type { CallOutcome } from '../../domain/meter';
import { textPrompt } from '../../domain/prompt';
import { NO_USAGE } from '../../domain/usage';
import type { Call } from '../../http/call';
import { type Form, FormError, type FormFile, readForm } from '../../http/read-form';
import { writeStream } from '../../http/write-stream';
import { type Exchange, handleMetered, type ParsedRequest, sendJsonReply } from '../handle-call';
import { isModelName } from '../model-name';
import type { ProviderProtocol } from '../protocol';
import type { ProviderDeps } from '../provider';
import { errorOfStatus, invalid, missing, wrongType } from './error';
import { imagesProtocol } from './images';
import { toEvent } from './speech';

interface TranscriptionRequest extends ParsedRequest {
  readonly format: string;
  readonly file: FormFile;
  readonly instructions: string;
}

const FORM_LIMITS = { fields: 64, fieldBytes: 256 * 1024, files: 1, fileBytes: 25 * 1024 * 1024 };
const FORMATS = new Set(['json', 'text', 'srt', 'vtt', 'verbose_json', 'diarized_json']);
const EXTENSIONS = /\.(flac|mp3|mp4|mpeg|mpga|m4a|ogg|wav|webm)$/i;
/** Of a compressed file: 128 kbit/s. */
const BYTES_PER_SECOND = 16_000;
const AUDIO_TOKENS_PER_SECOND = 10;
/** Models that are billed by duration, and do not stream. */
const BY_DURATION = /^(whisper|transcription$)/;

/** Handles a transcription and a translation, whose text tells the duration of the file. */
export function handleTranscription(
  call: Call,
  deps: ProviderDeps,
  dialect: Dialect = OPENAI,
): Promise<void> {
  const read = async () => {
    try {
      return parseTranscription(await readForm(call.req, FORM_LIMITS), dialect);
    } catch (error) {
      if (error instanceof FormError) throw invalid(`Could not read the multipart form: ${error.message}.`);
      throw error;
    }
  };
  const protocol = { ...imagesProtocol, provider: dialect.provider };
  return handleMetered(call, deps, protocol, read, (exchange) => sendTranscript(exchange, dialect));
}

/** Handlers of Mistral's calls by path. */
export const mistralAudio = (deps: ProviderDeps) => ({
  '/v1/audio/transcriptions': (call: Call) => handleTranscription(call, deps, MISTRAL),
});

/** @throws ProviderError for what the real API refuses */
function parseTranscription({ fields, files }: Form, dialect: Dialect): TranscriptionRequest {
  const unknown = [...fields.keys()].find((field) => dialect.fields && !dialect.fields.has(field));
  if (unknown !== undefined) throw invalid(`Extra inputs are not permitted: ${unknown}`, unknown);
  const model = fields.get('model');
  const format = fields.get('response_format') ?? 'json';
  const file = files.find(({ part }) => part === 'file');
  if (!isModelName(model)) throw missing('model');
  if (!file) throw missing('file');
  if (!EXTENSIONS.test(file.name)) throw invalid('Invalid file format.', 'file');
  if (!FORMATS.has(format)) throw wrongType('response_format', 'a supported format');
  if (!BY_DURATION.test(model) && (format === 'srt' || format === 'vtt'))
    throw invalid(`response_format '${format}' is not compatible with model '${model}'.`, 'response_format');
  const stream = fields.get('stream') === 'true' && !BY_DURATION.test(model);
  const instructions = fields.get('prompt') ?? '';
  return { model, stream, prompt: textPrompt(instructions), format, file, instructions };
}

function sendTranscript(
  exchange: Exchange<TranscriptionRequest, ProviderProtocol>,
  dialect: Dialect,
): CallOutcome | Promise<CallOutcome> {
  const { deps, request, directive } = exchange;
  const { model, format, stream, file } = request;
  const seconds = durationOf(file, directive);
  const text = directive.text ?? `Audio of ${Math.round(seconds * 1_000)} milliseconds.`;
  const audioTokens = Math.ceil(seconds * AUDIO_TOKENS_PER_SECOND);
  const textTokens = deps.tokenizer.count(request.instructions);
  const input = directive.usage?.prompt_tokens ?? audioTokens + textTokens;
  const output = directive.usage?.completion_tokens ?? deps.tokenizer.count(text);
  const byDuration = BY_DURATION.test(model);
  const usage = dialect.usageOf
    ? dialect.usageOf(seconds, input, output)
    : byDuration
      ? { type: 'duration', seconds }
      : {
          type: 'tokens',
          input_tokens: input,
          input_token_details: { text_tokens: Math.min(textTokens, input), audio_tokens: input - textTokens },
          output_tokens: output,
          total_tokens: input + output,
        };
  const bill = {
    usage: byDuration ? NO_USAGE : { ...NO_USAGE, promptTokens: input, completionTokens: output },
    media: { ...NO_MEDIA, seconds },
  };
  if (stream) return sendEvents(exchange, dialect, { text, usage, bill });
  if (format === 'json') return sendJsonReply(exchange, { text, usage }, 1, bill);
  if (format.endsWith('json')) {
    const segments = [{ ...SEGMENT, end: seconds, text }];
    const body = { task: 'transcribe', language: 'english', duration: seconds, text, segments, usage };
    return sendJsonReply(exchange, body, 1, bill);
  }
  return sendText(exchange, writtenAs(format, text, seconds), bill);
}

const SEGMENT = {
  ...{ id: 0, seek: 0, start: 0, tokens: [], temperature: 0 },
  ...{ avg_logprob: -0.2, compression_ratio: 1, no_speech_prob: 0.01 },
};

/** What distinguishes the transcriptions of two providers. */
interface Dialect {
  readonly provider: string;
  /** Type and text member of an event. */
  readonly delta: readonly [type: string, member: string];
  readonly done: string;
  /** Absent: as the model is billed. */
  readonly usageOf?: (seconds: number, input: number, output: number) => object;
  /** Absent: any. */
  readonly fields?: ReadonlySet<string>;
}

const OPENAI: Dialect = {
  provider: 'openai',
  delta: ['transcript.text.delta', 'delta'],
  done: 'transcript.text.done',
};
const MISTRAL: Dialect = {
  provider: 'mistral',
  delta: ['transcription.text.delta', 'text'],
  done: 'transcription.done',
  usageOf: (seconds, input, output) => ({
    prompt_audio_seconds: seconds,
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
  }),
  fields: new Set([
    'model',
    'language',
    'temperature',
    'stream',
    'timestamp_granularities',
    'context_bias',
    'diarize',
  ]),
};

type Bill = Pick<CallOutcome, 'usage' | 'media'>;

async function sendEvents(
  { call, directive, identity, protocol }: Exchange<TranscriptionRequest, ProviderProtocol>,
  dialect: Dialect,
  { text, usage, bill }: { readonly text: string; readonly usage: object; readonly bill: Bill },
): Promise<CallOutcome> {
  const pieces = text.match(/\s*\S+/g) ?? [];
  call.res.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'transfer-encoding': 'chunked',
    ...protocol.headers(identity.id),
  });
  const frames = {
    head: '',
    count: pieces.length,
    piece: (index: number) => toEvent({ type: dialect.delta[0], [dialect.delta[1]]: pieces[index] }),
    tail: toEvent({ type: dialect.done, text, usage }),
  };
  const { end } = await writeStream(call, frames, {
    chunkDelayMs: directive.chunk_delay_ms ?? 0,
    dropAfter:
      directive.drop_after_chunks ?? (directive.stream_error ? frames.count : Number.POSITIVE_INFINITY),
    ...(directive.stream_error && { failure: toEvent(errorOfStatus(503).toBody(identity.id)) }),
  });
  return { status: 200, ...bill, finished: end === 'finished', aborted: end === 'aborted' };
}

function sendText(
  { call, identity, protocol }: Exchange<TranscriptionRequest, ProviderProtocol>,
  text: string,
  bill: Bill,
): CallOutcome {
  call.res.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', ...protocol.headers(identity.id) });
  call.res.end(text);
  return { status: 200, ...bill, finished: true, aborted: false };
}

function writtenAs(format: string, text: string, seconds: number): string {
  const end = new Date(seconds * 1_000).toISOString().slice(11, 23);
  if (format === 'vtt') return `WEBVTT\n\n00:00:00.000 --> ${end}\n${text}\n\n`;
  if (format === 'srt') return `1\n00:00:00,000 --> ${end.replace('.', ',')}\n${text}\n\n`;
  return `${text}\n`;
}

/** By the rate in the header of a WAV file, else by a usual one. */
function durationOf({ bytes, head }: FormFile, { seconds }: Directive): number {
  if (seconds !== undefined) return seconds;
  const isWav = head.toString('latin1', 0, 4) === 'RIFF' && head.length >= 32;
  return isWav ? (bytes - 44) / head.readUInt32LE(28) : bytes / BYTES_PER_SECOND;
}
