import { isObject } from '@gateway/upstream';

/** How calls to Bedrock are authenticated: by an API key of Bedrock, or by signatures with an access key of AWS. */
export type AwsCredential =
  | { readonly kind: 'api_key'; readonly apiKey: string }
  | {
      readonly kind: 'access_key';
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      readonly sessionToken?: string;
    };

/** What a header may contain, without spaces. */
const PRINTABLE = /^[\x21-\x7e]+$/;
const MEMBERS = new Set(['access_key_id', 'secret_access_key', 'session_token']);

/**
 * Returns the credential in a secret: an API key, or a JSON object `{access_key_id, secret_access_key, session_token?}`.
 * @throws Error that does not contain the secret
 */
export function readAwsCredential(secret: string): AwsCredential {
  const trimmed = secret.trim();
  if (!trimmed.startsWith('{')) {
    if (!PRINTABLE.test(trimmed)) throw unusable();
    return { kind: 'api_key', apiKey: trimmed };
  }
  const members = parseObject(trimmed);
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: token } = members;
  if (!isPrintable(accessKeyId) || !isPrintable(secretAccessKey)) throw unusable();
  if (token !== undefined && !isPrintable(token)) throw unusable();
  if (Object.keys(members).some((key) => !MEMBERS.has(key))) throw unusable();
  return { kind: 'access_key', accessKeyId, secretAccessKey, ...(token && { sessionToken: token }) };
}

/** Without the parser's own error, which quotes the text. */
function parseObject(json: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw unusable();
  }
  if (!isObject(value)) throw unusable();
  return value;
}

const isPrintable = (value: unknown): value is string => typeof value === 'string' && PRINTABLE.test(value);

const unusable = () =>
  new Error(
    'credential must be an API key of Bedrock, or JSON {"access_key_id", "secret_access_key", "session_token"?}',
  );
