/** A refusal in a provider's own shape. */
export abstract class ProviderError extends Error {
  constructor(
    /** HTTP. */
    readonly status: number,
    message: string,
  ) {
    super(message);
  }

  /** @param id the reply's, as its headers give it */
  abstract toBody(id: string): unknown;
}
