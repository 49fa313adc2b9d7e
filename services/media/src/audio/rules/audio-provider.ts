import type { ProviderConnection } from '@gateway/upstream';
import type { Upload } from '../../domain/upload';
import type { ProviderCall } from '../../images/rules/image-provider';

/** A text to speak. Absent: the provider's default. */
export interface SpeechOrder {
  /** The model's name at the provider. */
  readonly upstreamModel: string;
  readonly input: string;
  /** Its name, or the id of a custom one. */
  readonly voice: string | { readonly id: string };
  readonly instructions?: string;
  readonly format?: string;
  readonly speed?: number;
  /** The client receives server-sent events instead of the audio itself. */
  readonly asEvents: boolean;
  /** The price depends on tokens, which providers report in events only. */
  readonly needsTokens: boolean;
}

export const TRANSCRIPT_FORMATS = ['json', 'text', 'srt', 'vtt', 'verbose_json', 'diarized_json'] as const;
export type TranscriptFormat = (typeof TRANSCRIPT_FORMATS)[number];

/** Audio to transcribe, or to translate into English. */
export interface TranscriptionOrder {
  /** The model's name at the provider. */
  readonly upstreamModel: string;
  readonly task: 'transcriptions' | 'translations';
  readonly file: Upload;
  /** Fields of the form other than `model`, `file`, `response_format` and `stream`, as the client wrote them. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly format: TranscriptFormat;
  readonly stream: boolean;
  /** The price depends on tokens, which providers report in JSON only. */
  readonly needsTokens: boolean;
}

/** Tokens as the provider counted them. */
export interface AudioTokens {
  readonly textInput: number;
  readonly audioInput: number;
  readonly textOutput: number;
  readonly audioOutput: number;
}

/** What a provider reports of a call. Absent: nothing. */
export interface ReportedUse {
  readonly tokens?: AudioTokens;
  /** Duration of the audio that was transcribed. */
  readonly audioMs?: number;
}

/** A reply that has begun. */
export interface AudioReply {
  readonly contentType: string;
  /** Server-sent events, each piece one or several whole events. */
  readonly isEvents: boolean;
  /**
   * The reply's bytes as the client receives them.
   * @throws UpstreamError when it breaks off, or the provider reports an error in it
   */
  readonly body: AsyncIterable<Buffer>;
  /** Undefined until the provider has reported it, which it does with the last piece or before. */
  use(): ReportedUse | undefined;
}

/** A provider of speech and transcriptions. */
export interface AudioProvider {
  readonly id: string;
  /** How it is reached; absent: as every provider. */
  readonly connection?: ProviderConnection;
  /** Resolves when the provider begins to reply. @throws UpstreamError */
  speak(order: SpeechOrder, call: ProviderCall): Promise<AudioReply>;
  /** The same. */
  transcribe(order: TranscriptionOrder, call: ProviderCall): Promise<AudioReply>;
}
