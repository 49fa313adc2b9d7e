/** Vendors of models whose requests differ. */
export type ModelFamily = 'claude' | 'nova' | 'gpt' | 'gpt-oss' | 'mistral' | 'other';

/**
 * Parts of a model's id, which is a base id (`anthropic.claude-…`), an inference profile (`eu.anthropic.claude-…`) or an ARN
 * that ends in one of the two.
 */
const FAMILIES: readonly (readonly [RegExp, ModelFamily])[] = [
  [/(^|[./])anthropic\./, 'claude'],
  [/(^|[./])amazon\.nova/, 'nova'],
  [/(^|[./])openai\.gpt-oss/, 'gpt-oss'],
  [/(^|[./])openai\./, 'gpt'],
  [/(^|[./])mistral\./, 'mistral'],
];

/**
 * Returns the family of a model. The ARN of an application's inference profile or of provisioned throughput does not name the
 * model: the catalog's capabilities for thinking then tell that it is Claude.
 */
export function modelFamily(upstreamModel: string, capabilities: ReadonlySet<string>): ModelFamily {
  const named = FAMILIES.find(([pattern]) => pattern.test(upstreamModel))?.[1];
  if (named) return named;
  const thinksAsClaude = capabilities.has('thinking_budget') || capabilities.has('adaptive_thinking');
  return thinksAsClaude ? 'claude' : 'other';
}
