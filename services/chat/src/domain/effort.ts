import type { Effort, Reasoning } from './conversation';

const EFFORTS: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
/**
 * The catalog's capability for each effort that a model accepts, such as `effort_low`. The seed takes them from
 * developers.openai.com (guide "Reasoning" and the models' pages), api-docs.deepseek.com/guides/thinking_mode,
 * docs.mistral.ai/capabilities/reasoning/adjustable, docs.x.ai (guide "Reasoning") and docs.cloud.google.com
 * (guide to Gemini 3.5 Flash, "Supported thinking levels").
 */
const EFFORT_PREFIX = 'effort_';

/**
 * Returns the effort closest to the requested one among those that the model accepts. Undefined, so that the model decides,
 * if none was requested or the model accepts none.
 */
export function effortOf(
  reasoning: Reasoning | undefined,
  capabilities: ReadonlySet<string>,
): Effort | undefined {
  const asked = reasoning?.effort ?? effortOfBudget(reasoning?.budgetTokens);
  const supported = EFFORTS.filter((effort) => capabilities.has(`${EFFORT_PREFIX}${effort}`));
  if (asked === undefined || supported.length === 0) return undefined;
  if (supported.includes(asked)) return asked;
  // Disabling thinking is not the same as thinking little.
  const thinking = supported.filter((effort) => effort !== 'none');
  const rank = EFFORTS.indexOf(asked);
  const distance = (effort: Effort) => Math.abs(EFFORTS.indexOf(effort) - rank);
  return thinking.reduce<Effort | undefined>(
    (best, effort) => (best === undefined || distance(effort) < distance(best) ? effort : best),
    undefined,
  );
}

/**
 * The inverse of the table of ai.google.dev, "OpenAI compatibility": low is a budget of 1,024 tokens, medium of 8,192,
 * high of 24,576.
 */
export function effortOfBudget(budgetTokens: number | undefined): Effort | undefined {
  if (budgetTokens === undefined) return undefined;
  if (budgetTokens === 0) return 'none';
  if (budgetTokens <= 1_024) return 'low';
  return budgetTokens <= 8_192 ? 'medium' : 'high';
}
