import { inputTokensOf } from '@gateway/pricing';
import { audioOf, type BilledUsage, cacheWritesOf } from '../../domain/usage';
import { exactUsd } from '../../json/exact-json';

/** In this format the prompt includes cache reads and writes, and the completion includes thinking. */
export function writeUsage(usage: BilledUsage): object {
  const cacheWrite = cacheWritesOf(usage);
  const audio = audioOf(usage);
  const prompt = inputTokensOf(usage);
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
    prompt_tokens_details: {
      cached_tokens: usage.cache_read,
      cache_write_tokens: cacheWrite,
      ...(audio && { audio_tokens: audio.input + audio.cacheRead }),
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      ...(audio && { audio_tokens: audio.output }),
    },
    cost: exactUsd(usage.costNano),
  };
}
