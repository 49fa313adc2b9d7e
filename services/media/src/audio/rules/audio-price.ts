import { ceilDiv, costOfTokens } from '@gateway/pricing';
import type { AudioOffer } from '../../domain/model';
import type { AudioTokens, ReportedUse } from './audio-provider';

/** The price of a call, fixed at admission. Nano-USD. */
export type AudioRate =
  /** Per million characters. */
  | { readonly by: 'character'; readonly priceNano: bigint }
  /** Per hour. */
  | { readonly by: 'duration'; readonly priceNano: bigint }
  /** Per million tokens. */
  | { readonly by: 'token'; readonly price: TokenRates };

type TokenRates = Record<'text_input' | 'audio_input' | 'text_output' | 'audio_output', bigint>;

/** What a call uses at the most, and what is charged for it if the provider reports nothing. */
export interface AudioSize {
  /** Of the text that is spoken. */
  readonly characters?: number;
  /** Of the audio that is transcribed. */
  readonly audioMs?: number;
  readonly tokens: AudioTokens;
}

const MILLION = 1_000_000n;
const MS_PER_HOUR = 3_600_000n;
const MS_PER_SECOND = 1_000;
/** A longer duration is an error in the provider's figures. */
const MAX_AUDIO_MS = 7 * 24 * 3_600_000;
/** Maximum tokens that a provider adds to a text: roles, delimiters. */
const FRAME_TOKENS = 256;
/** For English text, and approximately for Chinese text. */
const BYTES_PER_TOKEN = 4;

/**
 * Speech of gpt-4o-mini-tts has 1,250 tokens a minute: OpenAI estimates $0.015 a minute at $12 per million tokens. Read aloud, text
 * has some 16 characters a second (4,096 characters take 256 s: s-anand.net, "OpenAI TTS cost", 2025-11), so 1.3 tokens for each.
 */
const SPEECH_TOKENS_PER_CHARACTER = 1.3;
/**
 * The bound assumes half a second for each character, which digits and ideographs take, and twelve seconds of pauses. Speech that is
 * slower by its instructions can exceed it; the excess is an operator loss.
 */
const MAX_SPEECH_TOKENS_PER_CHARACTER = 10;
const MAX_PAUSE_TOKENS = 250;

/** OpenAI's models hear 10 tokens a second, Mistral's 12.5. */
const AUDIO_TOKENS_PER_SECOND = 10;
const MAX_AUDIO_TOKENS_PER_SECOND = 25;
/** The fastest speakers say some seven tokens a second. */
const MAX_TEXT_TOKENS_PER_SECOND = 10;

/** @throws Error for prices that the catalog does not accept */
export function rateOf({ pricing }: AudioOffer): AudioRate {
  const { million_characters, hour } = pricing;
  if (million_characters !== undefined) return { by: 'character', priceNano: million_characters };
  if (hour !== undefined) return { by: 'duration', priceNano: hour };
  const { text_input, audio_input, text_output, audio_output } = pricing;
  const input = text_input ?? audio_input;
  const output = text_output ?? audio_output;
  if (input === undefined || output === undefined) throw new Error('a model of audio without prices');
  return {
    by: 'token',
    price: {
      // Tokens of a kind without a price are of the other kind, which the provider did not distinguish.
      text_input: text_input ?? input,
      audio_input: audio_input ?? input,
      text_output: text_output ?? output,
      audio_output: audio_output ?? output,
    },
  };
}

export interface SpeechText {
  readonly input: string;
  readonly instructions?: string | undefined;
  readonly speed?: number | undefined;
}

/** Returns the maximum and the expected use of a call for speech. */
export function speechSizes(
  { input, instructions = '', speed = 1 }: SpeechText,
  { contextLength, maxOutputTokens }: AudioOffer,
): { readonly maximum: AudioSize; readonly expected: AudioSize } {
  const characters = charactersOf(input);
  const bytes = Buffer.byteLength(input) + Buffer.byteLength(instructions);
  const slowness = 1 / Math.min(speed, 1);
  const audioOutput = (perCharacter: number, more: number) =>
    atMost(maxOutputTokens, Math.ceil((characters * perCharacter + more) * slowness));
  const size = (textInput: number, output: number): AudioSize => ({
    characters,
    tokens: {
      textInput: atMost(contextLength, textInput),
      audioInput: 0,
      textOutput: 0,
      audioOutput: output,
    },
  });
  return {
    // Every token covers at least one byte of text.
    maximum: size(bytes + FRAME_TOKENS, audioOutput(MAX_SPEECH_TOKENS_PER_CHARACTER, MAX_PAUSE_TOKENS)),
    expected: size(Math.ceil(bytes / BYTES_PER_TOKEN), audioOutput(SPEECH_TOKENS_PER_CHARACTER, 0)),
  };
}

/** @param audioMs a maximum @param measuredMs the duration of the file @param prompt bytes of its prompt */
export function transcriptionSizes(
  { audioMs, measuredMs, promptBytes }: TranscribedAudio,
  { contextLength, maxOutputTokens }: AudioOffer,
): { readonly maximum: AudioSize; readonly expected: AudioSize } {
  const size = (
    ms: number,
    textInput: number,
    audioRate: number,
    textRate: number,
    more: number,
  ): AudioSize => {
    const seconds = Math.ceil(ms / MS_PER_SECOND);
    return {
      audioMs: ms,
      tokens: {
        textInput: atMost(contextLength, textInput),
        audioInput: atMost(contextLength, seconds * audioRate),
        textOutput: atMost(maxOutputTokens, seconds * textRate + more),
        audioOutput: 0,
      },
    };
  };
  return {
    maximum: size(
      audioMs,
      promptBytes + FRAME_TOKENS,
      MAX_AUDIO_TOKENS_PER_SECOND,
      MAX_TEXT_TOKENS_PER_SECOND,
      FRAME_TOKENS,
    ),
    expected: size(
      measuredMs,
      Math.ceil(promptBytes / BYTES_PER_TOKEN),
      AUDIO_TOKENS_PER_SECOND,
      MAX_TEXT_TOKENS_PER_SECOND / 3,
      0,
    ),
  };
}

export interface TranscribedAudio {
  /** Bound of the duration. */
  readonly audioMs: number;
  /** The duration of the file, or its bound. */
  readonly measuredMs: number;
  readonly promptBytes: number;
}

/** Returns the cost of a use, rounded up once. */
export function costOf(rate: AudioRate, { characters = 0, audioMs = 0, tokens }: AudioSize): bigint {
  if (rate.by === 'character') return ceilDiv(BigInt(characters) * rate.priceNano, MILLION);
  if (rate.by === 'duration') return ceilDiv(BigInt(Math.ceil(audioMs)) * rate.priceNano, MS_PER_HOUR);
  const { price } = rate;
  return costOfTokens([
    [tokens.textInput, price.text_input],
    [tokens.audioInput, price.audio_input],
    [Math.ceil(tokens.textOutput), price.text_output],
    [tokens.audioOutput, price.audio_output],
  ]);
}

/**
 * Returns what is charged: by the provider's figures, else by those of the call itself.
 * @param expected of the call
 */
export function chargeOf(rate: AudioRate, reported: ReportedUse | undefined, expected: AudioSize) {
  const audioMs = plausibleMs(reported?.audioMs) ?? expected.audioMs;
  const use: AudioSize = {
    ...expected,
    ...(audioMs !== undefined && { audioMs }),
    ...(reported?.tokens && { tokens: reported.tokens }),
  };
  const isReported =
    rate.by === 'character' ||
    (rate.by === 'duration' ? plausibleMs(reported?.audioMs) : reported?.tokens) !== undefined;
  const { textInput, audioInput, textOutput, audioOutput } = use.tokens;
  return {
    costNano: costOf(rate, use),
    source: isReported ? ('provider' as const) : ('counted' as const),
    units: {
      ...(use.characters !== undefined && { character: use.characters }),
      ...(audioMs !== undefined && { audio_second: Math.ceil(audioMs / MS_PER_SECOND) }),
    },
    ...(rate.by === 'token' && {
      tokens: { input: textInput + audioInput, output: Math.ceil(textOutput) + audioOutput },
    }),
  };
}

/** In code points, as providers count them. */
export const charactersOf = (text: string): number => Array.from(text).length;

const plausibleMs = (ms: number | undefined): number | undefined =>
  ms !== undefined && ms >= 0 && ms <= MAX_AUDIO_MS ? ms : undefined;

/** @param limit 0: not known */
const atMost = (limit: number, tokens: number): number => (limit > 0 ? Math.min(limit, tokens) : tokens);
