/** Where a secret is, if it is not stored: a variable, or a file in a folder for secrets. */
export interface SecretReference {
  readonly source: 'env' | 'file';
  readonly name: string;
}

/**
 * The prefix of a variable marks it as meant for this, so that a reference can't read any other secret of the process. The name
 * of a file has no separators, so that a reference can't leave the folder.
 */
const REFERENCE =
  /^(?:env:(?<variable>CREDENTIAL_[A-Z0-9_]{1,100})|file:(?<file>[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}))$/;

/** Parses `env:CREDENTIAL_…` or `file:<name>`; undefined for anything else. */
export function parseSecretReference(text: string): SecretReference | undefined {
  const { variable, file } = REFERENCE.exec(text)?.groups ?? {};
  if (variable !== undefined) return { source: 'env', name: variable };
  return file === undefined ? undefined : { source: 'file', name: file };
}
