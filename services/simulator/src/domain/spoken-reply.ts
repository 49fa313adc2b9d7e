import { secondsOfSpeech, silence } from './files/speech';
import type { Reply } from './reply';
import type { Delivery, Usage } from './usage';

export interface SpokenRequest {
  readonly format: string;
  /** Of text and audio together; Infinity if the caller set no maximum. */
  readonly maxTokens: number;
}

const TOKENS_PER_SECOND = 20;
/** A token of text takes about a quarter of a second, which is five tokens of audio. */
const TEXT_SHARE = 8;

/** Returns how many tokens the text of a spoken reply may have, so that its audio fits too. */
export const maxSpokenText = (maxTokens: number): number => Math.max(1, Math.floor(maxTokens / TEXT_SHARE));

/** Returns the audio of a text: silence as long as the text takes, in base64. */
export const speak = (text: string, format: string): string =>
  silence(format === 'pcm16' ? 'pcm' : format, secondsOfSpeech(text)).toString('base64');

/** Returns usage with the tokens of the audio that has been sent. */
export function withSpeech(usage: Usage, delivery: Delivery, { maxTokens }: SpokenRequest): Usage {
  const { n, sent } = delivery;
  const full = Math.floor(sent / n);
  const ahead = sent % n;
  const rest = maxTokens - Math.ceil(usage.completionTokens / n);
  const tokensAt = (pieces: number) => Math.min(speechTokens(delivery.reply, pieces), Math.max(0, rest));
  const audio = tokensAt(full) * (n - ahead) + (ahead === 0 ? 0 : tokensAt(full + 1) * ahead);
  return {
    ...usage,
    completionTokens: usage.completionTokens + audio,
    audioCompletionTokens: audio,
  };
}

function speechTokens({ pieces }: Reply, count: number): number {
  const said = pieces.slice(0, count).filter(({ kind }) => kind === 'text');
  return Math.ceil(secondsOfSpeech(said.map(({ text }) => text).join('')) * TOKENS_PER_SECOND);
}
