import { isObject, UpstreamError, withoutSecrets } from '@gateway/upstream';
import type { CredentialProbe } from '../images/rules/image-provider';

/** A token that a secret has signed. */
const SIGNED_TOKEN = /\beyJ[\w-]{8,}[\w.-]*/g;

/** Returns the probe, without the secret in the messages of its errors: some providers quote the credential that they refuse. */
export const withoutSecret =
  (probe: CredentialProbe, secret: string): CredentialProbe =>
  async (call) => {
    try {
      await probe(call);
    } catch (error) {
      const failure = error instanceof UpstreamError ? error.failure : undefined;
      if (failure?.kind !== 'status' || failure.message === undefined) throw error;
      throw new UpstreamError({
        ...failure,
        message: withoutSecrets(failure.message.replaceAll(SIGNED_TOKEN, '…'), partsOf(secret)),
      });
    }
  };

/** Returns the secret, and the values in it if it is a JSON object. */
function partsOf(secret: string): string[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(secret);
  } catch {
    return [secret];
  }
  const values = isObject(parsed) ? Object.values(parsed) : [];
  return [secret, ...values.filter((value) => typeof value === 'string')];
}
