import { maxAudioSeconds } from '../domain/audio-duration';
import type { RequestSize } from '../domain/upper-bound';

/**
 * Returns the figures of audio in a prompt: `hasMedia` if only the context bounds a part of it; nothing if there is none.
 * @param inline base64 of each inline file, and its format or media type
 * @param linked number of files that the provider fetches
 * @param replies number of earlier spoken replies that the prompt refers to
 */
export function sizeOfAudio(
  inline: readonly { readonly data: string; readonly type: string }[],
  linked: number,
  replies: number,
): Pick<RequestSize, 'audio'> & { hasMedia?: true } {
  if (inline.length + linked + replies === 0) return {};
  const durations = inline.map(({ data, type }) => maxAudioSeconds(data, type));
  return {
    audio: {
      seconds: durations.reduce<number>((sum, seconds = 0) => sum + seconds, 0),
      bytes: inline.reduce((sum, { data }) => sum + data.length, 0),
      replies,
    },
    ...((linked > 0 || durations.includes(undefined)) && { hasMedia: true }),
  };
}
