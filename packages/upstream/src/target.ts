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
  /** What the provider charges, nano-USD per million tokens; absent if not known. */
  readonly cost?: { readonly inputNano: bigint; readonly outputNano: bigint };
}
