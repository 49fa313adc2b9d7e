/** Calls `release` when the link has read the last of the body, or the client has disconnected. */
export async function* releasedWhenRead(
  body: Buffer | AsyncIterable<Buffer>,
  release: () => void,
): AsyncIterable<Buffer> {
  try {
    if (Buffer.isBuffer(body)) yield body;
    else yield* body;
  } finally {
    release();
  }
}
