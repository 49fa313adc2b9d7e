import { randomBytes } from 'node:crypto';
import { membersOf, textOf, tokenFigure, UpstreamError } from '@gateway/upstream';
import type {
  AudioProvider,
  AudioTokens,
  ReportedUse,
  TranscriptionOrder,
} from '../../audio/rules/audio-provider';
import type { Upstream } from '../../domain/upstream';
import { formBody } from '../form-body';
import {
  eventsReply,
  isEventStream,
  parseJson,
  type ReadEvent,
  readWhole,
  toEvent,
  transcriptUse,
  typeOf,
  wholeReply,
} from '../openai/audio-reply';
import { MAX_TRANSCRIPT_BYTES, sendAudio, TRANSCRIPT_TYPES } from '../openai/openai-audio';
import type { ProviderAccount } from '../provider-account';
import { brokenReply } from '../refusal';

/** The fields of OpenAI's form that Mistral has too, with its names (docs.mistral.ai, "Audio transcription"). */
const FIELDS: Readonly<Record<string, string>> = {
  language: 'language',
  temperature: 'temperature',
  'timestamp_granularities[]': 'timestamp_granularities',
  'keywords[]': 'context_bias',
};
const FORMATS = new Set(['json', 'verbose_json', 'text']);

/** Mistral's transcriptions, which always are JSON. @param account its base URL ends with `/v1` */
export function mistralAudio({ id, baseUrl, apiKey }: ProviderAccount, upstream: Upstream): AudioProvider {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/audio/transcriptions`);
  const headers = { authorization: `Bearer ${apiKey}` };
  return {
    id,
    speak: async () => {
      throw unsupported('speech of this provider');
    },
    async transcribe(order, call) {
      const { upstreamModel, file, format, stream } = order;
      const { contentType, body } = formBody(
        [['model', upstreamModel], ...(stream ? ([['stream', 'true']] as const) : []), ...fieldsOf(order)],
        [{ part: 'file', upload: file }],
        randomBytes(24).toString('hex'),
      );
      const request = { url, headers, contentType, body, maxReplyBytes: MAX_TRANSCRIPT_BYTES };
      const reply = await sendAudio(upstream, request, call);
      if (stream && !isEventStream(reply)) throw brokenReply('a reply without events');
      if (stream) return eventsReply(reply, 'text/event-stream', readEvent);
      const transcript = parseJson(await readWhole(reply));
      const sent =
        format === 'text'
          ? `${textOf(transcript.text)}\n`
          : JSON.stringify({ ...transcript, usage: openAiUsage(transcript.usage) });
      return wholeReply(Buffer.from(sent), TRANSCRIPT_TYPES[format]!, useOf(transcript));
    },
  };
}

/** @throws UpstreamError for what Mistral can't do */
function fieldsOf({ task, fields, format }: TranscriptionOrder): (readonly [string, string])[] {
  if (task === 'translations') throw unsupported('translations');
  if (!FORMATS.has(format)) throw unsupported(`response_format ${format}`);
  return fields.map(([name, value]) => {
    const own = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
    if (own === undefined) throw unsupported(name);
    return [own, value] as const;
  });
}

/** Treated like a refusal of the provider, without a request. */
const unsupported = (what: string): UpstreamError =>
  new UpstreamError({
    kind: 'status',
    status: 400,
    message: `${what}: not supported by the model's provider`,
  });

/** Returns Mistral's event as OpenAI's; those of languages and segments have no equivalent. */
function readEvent(data: Readonly<Record<string, unknown>>): ReadEvent {
  if (typeOf(data) === 'transcription.text.delta') {
    return { bytes: toEvent({ type: 'transcript.text.delta', delta: textOf(data.text) }), isLast: false };
  }
  if (typeOf(data) !== 'transcription.done') return { bytes: Buffer.alloc(0), isLast: false };
  const done = { type: 'transcript.text.done', text: textOf(data.text), usage: openAiUsage(data.usage) };
  return { bytes: toEvent(done), isLast: true, use: useOf(data) };
}

/** The seconds of the audio. Mistral also reports tokens, under OpenAI's names. */
function openAiUsage(usage: unknown) {
  const { prompt_audio_seconds: seconds } = membersOf(usage);
  return { ...membersOf(usage), type: 'duration', seconds };
}

function useOf(transcript: Readonly<Record<string, unknown>>): ReportedUse {
  const tokens = tokensOf(membersOf(transcript.usage));
  return { ...transcriptUse(transcript), ...(tokens && { tokens }) };
}

function tokensOf({
  prompt_tokens,
  completion_tokens,
}: Readonly<Record<string, unknown>>): AudioTokens | undefined {
  const [audioInput, textOutput] = [tokenFigure(prompt_tokens), tokenFigure(completion_tokens)];
  if (audioInput === undefined || textOutput === undefined) return undefined;
  return { textInput: 0, audioInput, textOutput, audioOutput: 0 };
}
