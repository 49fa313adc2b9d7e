/** Returns the context that decrypts a part of a response, so that it can't be copied to another account, response or part. */
export const contextOf = (part: 'input' | 'response' | 'body', accountId: string, id: string): string =>
  `${part} ${accountId} ${id}`;
