import type { Effort, Reasoning } from '../../domain/conversation';
import { effortOf } from '../../domain/effort';
import type { GeminiModel } from './gemini-model';

/** A capability of the catalog; models without it refuse a `thinkingConfig`. */
const REASONING = 'reasoning';
/** A capability of the catalog: a budget of 0 disables thinking. */
const EFFORT_NONE = 'effort_none';
/** The model decides. */
const DYNAMIC_BUDGET = -1;
/** Accepted by all models with budgets (ai.google.dev/gemini-api/docs/thinking): Flash-Lite's minimum, Flash's maximum. */
const MIN_BUDGET = 512;
const MAX_BUDGET = 24_576;
/** As Google's own OpenAI-compatible endpoint maps `reasoning_effort` (ai.google.dev/gemini-api/docs/openai). */
const BUDGET_OF_EFFORT: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1_024,
  low: 1_024,
  medium: 8_192,
  high: MAX_BUDGET,
  xhigh: MAX_BUDGET,
  max: MAX_BUDGET,
};

/**
 * Writes `thinkingConfig`. Thoughts are returned to callers who asked for reasoning; a model that can't disable thinking
 * thinks as little as it can when the caller asked for none.
 * @param maxOutputTokens of thoughts and answer together
 * @param capabilities include an `effort_…` for each level
 */
export function writeThinking(
  reasoning: Reasoning | undefined,
  model: GeminiModel,
  maxOutputTokens: number,
  capabilities: ReadonlySet<string>,
): object | undefined {
  if (!reasoning || !capabilities.has(REASONING)) return undefined;
  const includeThoughts = reasoning.effort !== 'none' && reasoning.budgetTokens !== 0;
  if (model.thinksByBudget) {
    const thinkingBudget = budgetOf(reasoning, maxOutputTokens, capabilities.has(EFFORT_NONE));
    return { includeThoughts, thinkingBudget };
  }
  const thinkingLevel = effortOf(reasoning, capabilities)?.toUpperCase();
  return { includeThoughts, ...(thinkingLevel && { thinkingLevel }) };
}

function budgetOf({ effort, budgetTokens }: Reasoning, maxOutputTokens: number, optional: boolean): number {
  const asked = budgetTokens ?? (effort && BUDGET_OF_EFFORT[effort]);
  if (asked === undefined) return DYNAMIC_BUDGET;
  if (asked === 0 && optional) return 0;
  // Otherwise thinking could use up all output, billed without an answer.
  const affordable = asked < maxOutputTokens ? asked : Math.floor(maxOutputTokens / 2);
  return Math.min(MAX_BUDGET, Math.max(MIN_BUDGET, affordable));
}
