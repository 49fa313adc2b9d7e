import type { ListedModel } from '@gateway/models';
import type { TokenPricing } from '@gateway/pricing';

/** How calls are spread over targets of one priority. */
export const STRATEGIES = ['weighted', 'priority', 'least-busy', 'lowest-latency', 'lowest-price'] as const;
export type Strategy = (typeof STRATEGIES)[number];

/** Fields that only operators see: how the model is served. */
interface ServingFields {
  readonly output_floor_tokens: number;
  /** Maximum tokens of one image in a request; 0 if not known, so that it may fill the context. */
  readonly max_image_tokens: number;
  /** Lower priority is tried first. */
  readonly targets: readonly {
    readonly provider: string;
    readonly upstream_model: string;
    readonly weight: number;
    readonly priority: number;
    /** Milliseconds; 0: the default of the service that answers. */
    readonly connect_timeout_ms: number;
    readonly first_byte_timeout_ms: number;
    readonly idle_timeout_ms: number;
    /** What the provider charges, USD per million tokens; null if not known. */
    readonly cost: TokenPricing<number> | null;
  }[];
  readonly strategy: Strategy;
  /** Slugs of the models that are tried, in this order, when every target has failed. */
  readonly fallback_models: readonly string[];
}

export interface CatalogModel extends ListedModel, ServingFields {}

/** Returns the entry without the fields that only operators see. */
export function toPublicModel({
  output_floor_tokens,
  max_image_tokens,
  targets,
  strategy,
  fallback_models,
  ...listed
}: CatalogModel): ListedModel {
  return listed;
}
