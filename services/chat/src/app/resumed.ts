/**
 * Returns a body of which the beginning has been read. Written without a generator, which would cost something for every chunk.
 * @param asked the chunk after `begun`, if it has been requested
 */
export function resumed(
  begun: Buffer,
  rest: AsyncIterator<Buffer>,
  asked?: Promise<IteratorResult<Buffer>>,
): AsyncIterable<Buffer> {
  let first: Buffer | undefined = begun;
  let second = asked;
  const pieces: AsyncIterableIterator<Buffer> = {
    [Symbol.asyncIterator]: () => pieces,
    next() {
      if (first !== undefined) {
        const value = first;
        first = undefined;
        return Promise.resolve({ value, done: false });
      }
      const next = second ?? rest.next();
      second = undefined;
      return next;
    },
    return: () => rest.return?.() ?? Promise.resolve({ value: undefined, done: true }),
  };
  return pieces;
}
