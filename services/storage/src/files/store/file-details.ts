import { createSecretKey, type KeyObject } from 'node:crypto';
import { type KeyEncryptionKeys, openBytes, sealBytes } from '@gateway/secrets';

/** What of a file is encrypted in its row. */
export interface FileDetails {
  readonly filename: string;
  /** Encrypts the content. A change of the key-encryption key changes rows, but no objects. */
  readonly dataKey: KeyObject;
}

export const detailsContext = (accountId: string, id: string): string => `file ${accountId} ${id}`;

export function sealDetails(
  keys: KeyEncryptionKeys,
  { filename, dataKey }: FileDetails,
  context: string,
): Buffer {
  const key = dataKey.export().toString('base64');
  return sealBytes(keys, Buffer.from(JSON.stringify({ filename, key })), context);
}

export function openDetails(keys: KeyEncryptionKeys, sealed: Buffer, context: string): FileDetails {
  const { filename, key } = JSON.parse(openBytes(keys, sealed, context).toString());
  return { filename, dataKey: createSecretKey(Buffer.from(key, 'base64')) };
}
