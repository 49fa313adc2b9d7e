/** The configuration of a provider. */
export interface ProviderAccount {
  readonly id: string;
  readonly baseUrl: string;
  /** By the names in its registry line, each read from `<PREFIX>_<NAME>`. */
  readonly credentials: Readonly<Record<string, string>>;
}
