import { isPrintable, readSecretKeys } from '@gateway/upstream';

/** How calls to Bedrock are authenticated: by an API key of Bedrock, or by signatures with an access key of AWS. */
export type AwsCredential =
  | { readonly kind: 'api_key'; readonly apiKey: string }
  | {
      readonly kind: 'access_key';
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      readonly sessionToken?: string;
    };

/**
 * Returns the credential in a secret: an API key, or a JSON object `{access_key_id, secret_access_key, session_token?}`.
 * @throws Error that does not contain the secret
 */
export function readAwsCredential(secret: string): AwsCredential {
  const trimmed = secret.trim();
  if (!trimmed.startsWith('{')) {
    if (!isPrintable(trimmed)) throw unusable();
    return { kind: 'api_key', apiKey: trimmed };
  }
  const keys = readSecretKeys(trimmed, ['access_key_id', 'secret_access_key'], ['session_token']);
  if (!keys) throw unusable();
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: token } = keys;
  return { kind: 'access_key', accessKeyId, secretAccessKey, ...(token && { sessionToken: token }) };
}

const unusable = () =>
  new Error(
    'credential must be an API key of Bedrock, or JSON {"access_key_id", "secret_access_key", "session_token"?}',
  );
