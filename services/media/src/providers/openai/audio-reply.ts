import {
  dataOf,
  isObject,
  membersOf,
  parseData,
  splitEvents,
  textOf,
  tokenFigure,
  UpstreamError,
} from '@gateway/upstream';
import type { AudioReply, AudioTokens, ReportedUse } from '../../audio/rules/audio-provider';
import type { UpstreamReply } from '../../domain/upstream';
import { brokenReply } from '../refusal';

/** An event of a stream, as the client receives it; empty: it is not sent. */
export interface ReadEvent {
  readonly bytes: Buffer;
  /** What the last event reports. */
  readonly use?: ReportedUse | undefined;
  readonly isLast: boolean;
}

const EVENTS = /^text\/event-stream\b/i;

export const isEventStream = ({ headers }: UpstreamReply): boolean =>
  EVENTS.test(headers['content-type'] ?? '');

/**
 * Returns a stream of events.
 * @param read reads an event's data
 * @throws UpstreamError `broken`, while it is read, for an event that is an error, and for an end without the last event
 */
export function eventsReply(
  { body, headers }: UpstreamReply,
  contentType: string,
  read: (data: Readonly<Record<string, unknown>>, event: Buffer) => ReadEvent,
): AudioReply {
  let use: ReportedUse | undefined;
  async function* pieces(): AsyncGenerator<Buffer> {
    for await (const event of splitEvents(body)) {
      const data = parseData(event);
      if (!data) {
        // A comment, or the end marker of OpenAI's other streams.
        if (['', '[DONE]'].includes(dataOf(event).trim())) continue;
        throw brokenReply('an event without JSON', headers);
      }
      if (data.type === 'error' || data.error) throw brokenReply('an error event', headers);
      const one = read(data, event);
      if (one.isLast) use = one.use ?? {};
      if (one.bytes.length > 0) yield one.bytes;
      // Whatever happens to the connection then.
      if (one.isLast) return;
    }
    throw brokenReply('the stream ended too early', headers);
  }
  return { contentType, isEvents: EVENTS.test(contentType), body: pieces(), use: () => use };
}

/** Returns a reply that is passed through. @throws UpstreamError `broken`, while it is read, if it is empty */
export function bytesReply({ body, headers }: UpstreamReply, contentType: string): AudioReply {
  async function* pieces(): AsyncGenerator<Buffer> {
    let isEmpty = true;
    for await (const piece of body) {
      isEmpty &&= piece.length === 0;
      yield piece;
    }
    if (isEmpty) throw brokenReply('an empty reply', headers);
  }
  return { contentType, isEvents: false, body: pieces(), use: () => undefined };
}

/** Returns a reply that is complete. */
export function wholeReply(bytes: Buffer, contentType: string, use: ReportedUse): AudioReply {
  async function* pieces(): AsyncGenerator<Buffer> {
    yield bytes;
  }
  return { contentType, isEvents: false, body: pieces(), use: () => use };
}

/** Reads a whole body. @throws UpstreamError */
export async function readWhole({ body }: UpstreamReply): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** @throws UpstreamError `broken` */
export function parseJson(bytes: Buffer): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    // The parser's own error would quote the reply, and errors are logged.
    throw new UpstreamError({ kind: 'broken', cause: new Error('the reply is not JSON') });
  }
  if (isObject(value) && !value.error) return value;
  throw brokenReply('a reply of another form');
}

/** Reads the `usage` of speech, whose output is audio. Undefined without plausible figures. */
export function speechUse(usage: unknown): ReportedUse | undefined {
  const { input_tokens, output_tokens } = membersOf(usage);
  const [textInput, audioOutput] = [tokenFigure(input_tokens), tokenFigure(output_tokens)];
  if (textInput === undefined || audioOutput === undefined) return undefined;
  return { tokens: { textInput, audioInput: 0, textOutput: 0, audioOutput } };
}

/** Reads the `usage` and `duration` of a transcript: tokens, or seconds. Undefined without plausible figures. */
export function transcriptUse({ usage, duration }: Readonly<Record<string, unknown>>): ReportedUse {
  const { seconds, prompt_audio_seconds: heard = seconds } = membersOf(usage);
  const audioMs = millisecondsOf(heard) ?? millisecondsOf(duration);
  const tokens = transcriptTokens(membersOf(usage));
  return { ...(audioMs !== undefined && { audioMs }), ...(tokens && { tokens }) };
}

/** Input that is not told apart is audio. */
function transcriptTokens(usage: Readonly<Record<string, unknown>>): AudioTokens | undefined {
  const input = tokenFigure(usage.input_tokens);
  const textOutput = tokenFigure(usage.output_tokens);
  if (input === undefined || textOutput === undefined) return undefined;
  const text = tokenFigure(membersOf(usage.input_token_details).text_tokens) ?? 0;
  const textInput = Math.min(text, input);
  return { textInput, audioInput: input - textInput, textOutput, audioOutput: 0 };
}

/** Some servers write figures as text. */
function millisecondsOf(seconds: unknown): number | undefined {
  const figure = typeof seconds === 'string' && seconds !== '' ? Number(seconds) : seconds;
  return typeof figure === 'number' && Number.isFinite(figure) && figure >= 0 ? figure * 1_000 : undefined;
}

/** An event with this data. */
export const toEvent = (data: unknown): Buffer => Buffer.from(`data: ${JSON.stringify(data)}\n\n`);

export const typeOf = (data: Readonly<Record<string, unknown>>): string => textOf(data.type);
