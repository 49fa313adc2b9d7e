import { isObject, tokenFigure } from '@gateway/upstream';
import type { TokenUsage } from '../../domain/usage';

/**
 * Reads the usage of a reply or of a stream's last event; undefined if there is none. Cohere bills `billed_units`, which exclude
 * the instructions that it adds to the prompt; `tokens` includes them. `cached_tokens` is not read: it counts those instructions
 * too, and cached tokens have no price of their own (docs.cohere.com, "How does Cohere's pricing work"). Thinking is part of the
 * output.
 */
export function readCohereUsage(usage: unknown): TokenUsage | undefined {
  if (!isObject(usage)) return undefined;
  return readTokens(usage.billed_units) ?? readTokens(usage.tokens);
}

function readTokens(figures: unknown): TokenUsage | undefined {
  if (!isObject(figures)) return undefined;
  const input = tokenFigure(figures.input_tokens);
  const output = tokenFigure(figures.output_tokens);
  if (input === undefined || output === undefined) return undefined;
  return { input, cacheRead: 0, cacheWrite: 0, output, reasoning: 0 };
}
