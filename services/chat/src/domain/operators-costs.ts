import { isObject, type JsonObject } from '@gateway/upstream';

/**
 * Members in which providers and upstream gateways report what their customer pays, who is the operator: OpenRouter, xAI, DeepInfra,
 * Perplexity, Vercel's AI Gateway, Requesty, LiteLLM. They are members of the usage, some of the reply itself or of its message.
 */
export const OPERATORS_COSTS: readonly string[] = [
  'cost',
  'cost_details',
  'cost_in_usd_ticks',
  'estimated_cost',
  'is_byok',
  'market_cost',
  'provider_metadata',
  'response_cost',
  'total_cost',
  'upstream_cost',
  'upstream_inference_cost',
];

/** Returns the same object if it has none of these members. */
export function withoutCosts<Holder extends JsonObject>(holder: Holder): Holder {
  if (!OPERATORS_COSTS.some((member) => member in holder)) return holder;
  const kept = Object.entries(holder).filter(([member]) => !OPERATORS_COSTS.includes(member));
  return Object.fromEntries(kept) as Holder;
}

/** Does the same for a reply, or a part of a stream, and its usage. */
export function withoutOperatorsCosts<Holder extends JsonObject>(
  reply: Holder,
  usageMember = 'usage',
): Holder {
  const shown = withoutCosts(reply);
  const usage = shown[usageMember];
  if (!isObject(usage)) return shown;
  const figures = withoutCosts(usage);
  return figures === usage ? shown : { ...shown, [usageMember]: figures };
}
