/** Who reads or deletes stored content: an account, or one key of it. */
export interface ContentReader {
  readonly accountId: string;
  /** Only content that was stored with this key; absent: that of the whole account. */
  readonly onlyKeyId?: string | undefined;
}

/** With which key content is stored. */
export interface ContentOwner {
  readonly accountId: string;
  readonly keyId: string;
}

/** SQL condition of the rows that a reader may see. @param account, key the parameters of `readerValues` */
export const mayRead = (account: string, key: string, table = ''): string =>
  `${table}account_id = ${account} AND (${key}::text IS NULL OR ${table}key_id = ${key})`;

export const readerValues = ({ accountId, onlyKeyId }: ContentReader): [string, string | null] => [
  accountId,
  onlyKeyId ?? null,
];
