import type { ImageTokens } from '../images/rules/image-provider';

/** The provider understood the request and refused it, by its policy or because it does not support it. */
export class MediaRefused extends Error {
  /** For the caller; never mentions credentials. */
  readonly detail: string;
  /** What the provider charges nevertheless. */
  readonly tokens: ImageTokens | undefined;

  constructor(detail: string, tokens?: ImageTokens) {
    super('provider refused the order');
    this.detail = detail;
    this.tokens = tokens;
  }
}
