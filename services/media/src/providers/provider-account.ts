/** A provider's endpoint and one of its credentials in clear. */
export interface ProviderAccount {
  readonly id: string;
  readonly baseUrl: string;
  /** The secret in the form of the provider's kind. Empty: it needs none. */
  readonly apiKey: string;
  /** Of its kind; absent: none. */
  readonly options?: Readonly<Record<string, unknown>>;
}
