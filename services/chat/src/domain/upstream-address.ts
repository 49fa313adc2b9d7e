export interface UpstreamAddress {
  readonly url: URL;
  /** Includes the credential; `accept` if the provider's streams are not server-sent events. */
  readonly headers: Readonly<Record<string, string>>;
}
