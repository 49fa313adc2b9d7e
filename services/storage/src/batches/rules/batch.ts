export type BatchFormat = 'openai' | 'anthropic';

/** As it is stored. A batch that is being cancelled is `in_progress`, and has the time of its cancellation. */
export type BatchStatus =
  | 'validating'
  | 'in_progress'
  | 'finalizing'
  | 'completed'
  | 'failed'
  | 'expired'
  | 'cancelled';

/** Why a batch can't be run. */
export interface BatchProblem {
  readonly code: string;
  readonly message: string;
  /** Counted from 1; null: not of one line. */
  readonly line: number | null;
  readonly param: string | null;
}

export interface CallCounts {
  readonly total: number;
  readonly succeeded: number;
  readonly failed: number;
}

export interface CallUsage {
  readonly inputTokens: number;
  /** Of the input tokens. */
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** Of the output tokens. */
  readonly reasoningTokens: number;
  readonly costNano: bigint;
}

export interface Batch {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly format: BatchFormat;
  readonly endpoint: string;
  readonly inputFileId: string;
  readonly metadata: Readonly<Record<string, string>> | null;
  /** Of the call that created it, for its calls. */
  readonly headers: Readonly<Record<string, string>>;
  /** Lifetime of the files with the results; null: the retention. */
  readonly outputSeconds: number | null;
  readonly status: BatchStatus;
  readonly problems: readonly BatchProblem[];
  readonly counts: CallCounts;
  readonly usage: CallUsage;
  readonly outputFileId: string | null;
  readonly errorFileId: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly cancellingAt: Date | null;
  readonly finalizingAt: Date | null;
  readonly endedAt: Date | null;
  readonly deadlineAt: Date;
}
