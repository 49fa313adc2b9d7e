import type { ImageTokens } from '../images/rules/image-provider';

/** A provider that understood an order and would not make it: by its policy, or because it can't. */
export class MediaRefused extends Error {
  /** In words for the caller; never speaks of credentials. */
  readonly detail: string;
  /** What it charges all the same. */
  readonly tokens: ImageTokens | undefined;

  constructor(detail: string, tokens?: ImageTokens) {
    super('provider refused the order');
    this.detail = detail;
    this.tokens = tokens;
  }
}
