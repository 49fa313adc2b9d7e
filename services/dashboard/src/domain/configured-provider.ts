/** A provider as the catalog has it, without secrets. */
export interface ConfiguredProvider {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  /** Empty: the one of its kind or options. */
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, unknown>>;
  readonly enabled: boolean;
  readonly createdAtMs: number;
  readonly credentials: readonly ConfiguredCredential[];
}

export interface ConfiguredCredential {
  readonly id: string;
  readonly name: string;
  /** What operators see of the secret. */
  readonly hint: string;
  readonly weight: number;
  readonly enabled: boolean;
  readonly limits: CredentialLimits;
  readonly createdAtMs: number;
}

/**
 * Of one instance of a service that calls the provider, except for the cost. Absent: no limit, in a change: unchanged; 0: none.
 */
export interface CredentialLimits {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly concurrency?: number;
  /** Of the calls of all instances of chat on a UTC day. */
  readonly costPerDayNano?: bigint;
}

/** What the calls of all instances of chat have cost today, as far as they have reported it. */
export interface DailyCosts {
  /** Such as `2026-01-31`. */
  readonly day: string;
  /** By the id of the credential; absent: 0. */
  readonly costsNano: ReadonlyMap<string, bigint>;
}

/** A new secret: a value in clear, or the reference that chat and media resolve. The other one is empty. */
export interface SecretDraft {
  readonly value: string;
  readonly reference: string;
}

export interface CredentialDraft {
  readonly name: string;
  readonly secret: SecretDraft;
  readonly weight?: number | undefined;
  readonly limits: CredentialLimits;
}

export interface CredentialChanges {
  readonly name?: string;
  readonly secret?: SecretDraft;
  readonly weight?: number;
  readonly limits?: CredentialLimits;
  readonly enabled?: boolean;
}

export interface ProviderSettings {
  readonly name: string;
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, unknown>>;
}
