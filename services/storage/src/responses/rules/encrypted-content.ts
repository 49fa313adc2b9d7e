const ENCRYPTED_REASONING = 'reasoning.encrypted_content';

/** Returns whether the query asks for the encrypted content of reasoning. */
export function includesEncrypted(query: string): boolean {
  const params = new URLSearchParams(query);
  return [...params.getAll('include'), ...params.getAll('include[]')].includes(ENCRYPTED_REASONING);
}

/** Returns items without the encrypted content of reasoning, which is always stored, because a continued conversation needs it. */
export const withoutEncrypted = <T extends object>(items: readonly T[]): T[] =>
  items.map((item) => {
    if (!('encrypted_content' in item)) return item;
    const { encrypted_content, ...rest } = item;
    return rest as T;
  });
