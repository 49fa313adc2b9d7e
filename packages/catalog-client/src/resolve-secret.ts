import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { type KeyEncryptionKeys, openSecret, parseSecretReference } from '@gateway/secrets';

/** A secret as catalog stores it. One of the fields is set. */
export interface StoredSecret {
  readonly sealed?: Buffer;
  /** `env:CREDENTIAL_…` or `file:…`. */
  readonly reference?: string;
}

export interface SecretSources {
  /** Absent: encrypted secrets can't be used. */
  readonly keys: KeyEncryptionKeys | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** Folder of the files that references name; absent: such references can't be used. */
  readonly directory: string | undefined;
}

const MAX_FILE_BYTES = 64 * 1024;

/**
 * Returns the secret of a credential in clear.
 * @param context the credential's id
 * @throws Error that says what is missing and never contains the secret
 */
export function resolveSecret(
  { keys, env, directory }: SecretSources,
  { sealed, reference = '' }: StoredSecret,
  context: string,
): string {
  if (sealed && sealed.length > 0) {
    if (!keys) throw new Error('CREDENTIALS_KEY is not set');
    return openSecret(keys, sealed, context);
  }
  const parsed = parseSecretReference(reference);
  if (!parsed) throw new Error('the credential has neither a secret nor a valid reference');
  const { source, name } = parsed;
  if (source === 'env') {
    const value = env[name]?.trim();
    if (!value) throw new Error(`the variable ${name} is not set`);
    return value;
  }
  if (directory === undefined) throw new Error('CREDENTIALS_DIR is not set');
  return readSecretFile(directory, name);
}

function readSecretFile(directory: string, name: string): string {
  const file = path.join(directory, name);
  try {
    if (statSync(file).size > MAX_FILE_BYTES) throw new Error(`is larger than ${MAX_FILE_BYTES} bytes`);
    const text = readFileSync(file, 'utf8').trim();
    if (text === '') throw new Error('is empty');
    return text;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`the file ${name} in CREDENTIALS_DIR can't be used: ${code ?? message}`);
  }
}
