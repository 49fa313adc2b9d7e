import type { TokenRates } from '../domain/model';

/** The rates of the catalog by their names in its files. */
export const RATE_FIELDS = [
  ['input', 'inputNano'],
  ['output', 'outputNano'],
  ['cache_read', 'cacheReadNano'],
  ['cache_write', 'cacheWriteNano'],
  ['cache_write_1h', 'cacheWriteLongNano'],
  ['audio_input', 'audioInputNano'],
  ['audio_cache_read', 'audioCacheReadNano'],
  ['audio_output', 'audioOutputNano'],
] as const satisfies readonly (readonly [string, keyof TokenRates])[];

export function mapRates(rates: TokenRates, map: (nano: bigint) => bigint): TokenRates {
  const mapped = (nano: bigint | undefined) => (nano === undefined ? undefined : map(nano));
  return {
    inputNano: mapped(rates.inputNano),
    outputNano: mapped(rates.outputNano),
    cacheReadNano: mapped(rates.cacheReadNano),
    cacheWriteNano: mapped(rates.cacheWriteNano),
    cacheWriteLongNano: mapped(rates.cacheWriteLongNano),
    audioInputNano: mapped(rates.audioInputNano),
    audioCacheReadNano: mapped(rates.audioCacheReadNano),
    audioOutputNano: mapped(rates.audioOutputNano),
  };
}
