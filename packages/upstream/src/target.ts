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

/** Nano-USD per million tokens. Without a cache price, cached tokens cost the input price. */
export interface TargetCost {
  readonly inputNano: bigint;
  readonly outputNano: bigint;
  readonly cacheReadNano?: bigint;
  readonly cacheWriteNano?: bigint;
  readonly cacheWriteLongNano?: bigint;
  /** Tokens of audio; without these prices, they cost as much as text. */
  readonly audioInputNano?: bigint;
  readonly audioCacheReadNano?: bigint;
  readonly audioOutputNano?: bigint;
  /** When the input exceeds this length, all tokens of the call cost `price`. */
  readonly longContext?: { readonly aboveTokens: number; readonly price: TargetCost };
  /** Costs in other service tiers than the standard one. */
  readonly serviceTiers?: ReadonlyMap<string, TargetCost>;
  /** Nano-USD per unit of usage that is not counted in tokens. */
  readonly unitNano?: ReadonlyMap<string, bigint>;
}
