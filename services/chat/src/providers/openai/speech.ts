import { isObject, type JsonObject, membersOf, textOf } from '@gateway/upstream';
import { maxAudioSeconds } from '../../domain/audio-duration';
import type { AudioIds } from '../../domain/audio-ids';
import { choicesOf } from './chunk-text';

/** OpenAI's (developers.openai.com/api/docs/guides/realtime-costs: a token for 50 ms of an assistant's audio). */
const TOKENS_PER_SECOND = 20;
/** Of `pcm16`: 24,000 samples of two bytes (developers.openai.com/api/docs/guides/audio). */
const PCM_BYTES_PER_SECOND = 48_000;

/** Returns the tokens of streamed audio, which is `pcm16`. @param chars of its base64 */
export const pcmTokens = (chars: number): number =>
  Math.ceil(((chars * 3) / 4 / PCM_BYTES_PER_SECOND) * TOKENS_PER_SECOND);

/** Returns the tokens of the audio of a completion without figures; of formats that are neither WAV nor MP3 as if they were `pcm16`. */
export function countSpeech(completion: JsonObject): number {
  let tokens = 0;
  for (const { message } of choicesOf(completion)) {
    const data = textOf(membersOf(membersOf(message).audio).data);
    const seconds = maxAudioSeconds(data);
    tokens += seconds === undefined ? pcmTokens(data.length) : Math.ceil(seconds * TOKENS_PER_SECOND);
  }
  return tokens;
}

/** Returns a completion or chunk with the ids by which the caller's account knows its audio; the same object without audio. */
export function withSealedAudio(reply: JsonObject, holder: 'message' | 'delta', ids: AudioIds): JsonObject {
  const choices = choicesOf(reply);
  if (!choices.some((choice) => isObject(membersOf(choice[holder]).audio))) return reply;
  return { ...reply, choices: choices.map((choice) => sealedChoice(choice, holder, ids)) };
}

function sealedChoice(choice: JsonObject, holder: 'message' | 'delta', ids: AudioIds): JsonObject {
  const held = membersOf(choice[holder]);
  const { id } = membersOf(held.audio);
  if (typeof id !== 'string') return choice;
  return { ...choice, [holder]: { ...held, audio: { ...membersOf(held.audio), id: ids.seal(id) } } };
}

/** Returns a chunk without the data of its audio, and how many characters it has. */
export function withoutAudioData(chunk: JsonObject): { readonly chunk: JsonObject; readonly chars: number } {
  let chars = 0;
  const choices = choicesOf(chunk).map((choice) => {
    const { audio, ...delta } = membersOf(choice.delta);
    const { data, transcript } = membersOf(audio);
    chars += textOf(data).length;
    return { ...choice, delta: { ...delta, audio: { transcript } } };
  });
  return { chunk: { ...chunk, choices }, chars };
}
