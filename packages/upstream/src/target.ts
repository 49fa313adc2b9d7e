/** A provider's account and what a model is called there, as the catalog names it. */
export interface Target {
  readonly provider: string;
  readonly upstreamModel: string;
  readonly weight: number;
  /** Lower is tried first. */
  readonly priority: number;
  /** 0: as for every target. */
  readonly connectTimeoutMs: number;
  readonly firstByteTimeoutMs: number;
  readonly idleTimeoutMs: number;
}
