/** What a provider is made of. */
export interface ProviderAccount {
  readonly id: string;
  readonly baseUrl: string;
  /** By the names that its registry line asks for, each from `<PREFIX>_<NAME>`. */
  readonly credentials: Readonly<Record<string, string>>;
}
