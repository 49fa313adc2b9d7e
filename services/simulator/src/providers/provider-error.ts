/** A refusal in a provider's own format. */
export class ProviderError extends Error {
  /** @param toBody receives the reply's id, as the reply's headers contain it */
  constructor(
    readonly status: number,
    message: string,
    readonly toBody: (id: string) => unknown,
  ) {
    super(message);
  }
}
