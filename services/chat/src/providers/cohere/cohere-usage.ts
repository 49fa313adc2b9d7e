import { membersOf, tokenFigure } from '@gateway/upstream';
import type { TokenUsage } from '../../domain/usage';

/**
 * Reads the usage of a reply or of a stream's last event; undefined if there is none. Cohere bills `billed_units`, which exclude
 * the instructions that it adds to the prompt; `tokens` includes them, and is read for a figure that is missing or 0. `cached_tokens` is not read: it counts those instructions
 * too, and cached tokens have no price of their own (docs.cohere.com, "How does Cohere's pricing work"). Thinking is part of the
 * output.
 */
export function readCohereUsage(usage: unknown): TokenUsage | undefined {
  const { billed_units, tokens } = membersOf(usage);
  const [billed, counted] = [membersOf(billed_units), membersOf(tokens)];
  const input = tokenFigure(billed.input_tokens) || tokenFigure(counted.input_tokens);
  const output = tokenFigure(billed.output_tokens) || tokenFigure(counted.output_tokens);
  if (input === undefined && output === undefined) return undefined;
  return { input: input ?? 0, cache_read: 0, cache_write: 0, output: output ?? 0, reasoning: 0 };
}
