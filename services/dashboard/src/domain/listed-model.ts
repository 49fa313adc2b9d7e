import type { ListedModel } from '@gateway/models';

/** What only operators are shown: how the model is served. */
interface ModelService {
  readonly output_floor_tokens: number;
  /** Most tokens that one image of a request is counted as; 0: not known, so it may fill the context. */
  readonly max_image_tokens: number;
  /** Lower priority is tried first. */
  readonly targets: readonly {
    readonly provider: string;
    readonly upstream_model: string;
    readonly weight: number;
    readonly priority: number;
    /** Milliseconds; 0: the answering service's own. */
    readonly connect_timeout_ms: number;
    readonly first_byte_timeout_ms: number;
    readonly idle_timeout_ms: number;
  }[];
}

export interface CatalogModel extends ListedModel, ModelService {}

/** Returns the entry without what only operators are shown. */
export function withoutService({
  output_floor_tokens,
  max_image_tokens,
  targets,
  ...listed
}: CatalogModel): ListedModel {
  return listed;
}
