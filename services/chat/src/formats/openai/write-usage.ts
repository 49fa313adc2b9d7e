import type { BilledUsage } from '../../domain/usage';
import { exactUsd } from '../../json/exact-json';

/** In this format the prompt includes cache reads and writes, and the completion includes thinking. */
export function writeUsage(usage: BilledUsage): object {
  const cacheWrite = usage.cacheWrite + (usage.cacheWriteLong ?? 0);
  const { audio } = usage;
  const prompt = usage.input + usage.cacheRead + cacheWrite;
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
    prompt_tokens_details: {
      cached_tokens: usage.cacheRead,
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
