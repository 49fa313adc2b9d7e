import type { TokenPricing, TokenRates } from '@gateway/pricing';
import { diffPricing } from './diff-pricing';
import type { PricedModel, PriceList } from './price-list';
import { readPriceList } from './read-price-list';

/** Returns pricing with the given rates in nano-USD per million tokens. */
export const pricingOf = (
  rates: TokenRates,
  more: Partial<Pick<TokenPricing, 'service_tiers' | 'long_context'>> = {},
): TokenPricing => ({ ...rates, service_tiers: {}, units: {}, ...more });

/** Returns a model's prices by field, in USD per million tokens. */
export const pricesOf = ({ pricing }: PricedModel): Record<string, string | null> =>
  Object.fromEntries(
    diffPricing(undefined, pricing).map(({ path, to }) => [path.replace('tokens.', ''), to]),
  );

/** Returns the entry, or throws the reason why there is none. */
export function onlyEntry({ entries, rejected }: PriceList): PricedModel {
  const [entry] = entries;
  if (!entry || entries.length > 1) throw new Error(`${entries.length} entries: ${JSON.stringify(rejected)}`);
  return entry;
}

/** Returns the list that a text model of models.dev with these fields makes. */
export const modelsDevList = (model: object, id = 'some-model', provider = 'some-provider'): PriceList =>
  readPriceList(JSON.stringify({ [provider]: { id: provider, models: { [id]: modelsDevModel(model) } } }));

export const modelsDevModel = (more: object = {}) => ({
  name: 'Some Model',
  modalities: { input: ['text'], output: ['text'] },
  limit: { context: 100_000, output: 8_000 },
  cost: { input: 1, output: 4 },
  ...more,
});

/** Returns the list that a chat entry of LiteLLM with these fields makes. */
export const litellmList = (entry: object, name = 'some-provider/some-model'): PriceList =>
  readPriceList(JSON.stringify({ [name]: litellmEntry(entry) }));

export const litellmEntry = (more: object = {}) => ({
  litellm_provider: 'some-provider',
  mode: 'chat',
  max_input_tokens: 100_000,
  max_output_tokens: 8_000,
  input_cost_per_token: 1e-6,
  output_cost_per_token: 4e-6,
  ...more,
});
