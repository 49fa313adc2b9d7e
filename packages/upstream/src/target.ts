import type { TokenPrice } from '@gateway/pricing';

/** A provider account and the model's name there, as the catalog lists it. */
export interface Target {
  readonly provider: string;
  readonly upstreamModel: string;
  readonly weight: number;
  /** Lower is tried first. */
  readonly priority: number;
  /** 0: the usual timeout. */
  readonly connectTimeoutMs: number;
  readonly firstByteTimeoutMs: number;
  readonly idleTimeoutMs: number;
  /** What the provider charges; absent if not known. */
  readonly cost?: TargetCost;
}

/** What the standard service tier costs, and other tiers by their name. */
export type TargetCost = TokenPrice & { readonly serviceTiers?: ReadonlyMap<string, TokenPrice> };
