import type { Effort, Reasoning } from './conversation';

const EFFORTS: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
/**
 * A capability of the catalog for each effort that a model takes: `effort_low`. Those of the seed are from
 * developers.openai.com (guide "Reasoning" and the models' pages), api-docs.deepseek.com/guides/thinking_mode,
 * docs.mistral.ai/capabilities/reasoning/adjustable, docs.x.ai (guide "Reasoning") and docs.cloud.google.com
 * (guide to Gemini 3.5 Flash, "Supported thinking levels").
 */
const CAPABILITY = 'effort_';

/**
 * The effort that comes nearest to what was asked, of those that the model takes. Undefined: the model
 * decides, because nothing was asked, or because it takes no effort at all.
 */
export function effortOf(
  reasoning: Reasoning | undefined,
  capabilities: ReadonlySet<string>,
): Effort | undefined {
  const asked = reasoning?.effort ?? effortOfBudget(reasoning?.budgetTokens);
  const taken = EFFORTS.filter((effort) => capabilities.has(`${CAPABILITY}${effort}`));
  if (asked === undefined || taken.length === 0) return undefined;
  if (taken.includes(asked)) return asked;
  // Not to think at all is another wish than to think a little.
  const thinking = taken.filter((effort) => effort !== 'none');
  const rank = EFFORTS.indexOf(asked);
  const distance = (effort: Effort) => Math.abs(EFFORTS.indexOf(effort) - rank);
  return thinking.reduce<Effort | undefined>(
    (best, effort) => (best === undefined || distance(effort) < distance(best) ? effort : best),
    undefined,
  );
}

/**
 * The other way round than the table of ai.google.dev, "OpenAI compatibility": low is a budget of 1,024
 * tokens, medium of 8,192, high of 24,576.
 */
export function effortOfBudget(budgetTokens: number | undefined): Effort | undefined {
  if (budgetTokens === undefined) return undefined;
  if (budgetTokens === 0) return 'none';
  if (budgetTokens <= 1_024) return 'low';
  return budgetTokens <= 8_192 ? 'medium' : 'high';
}
