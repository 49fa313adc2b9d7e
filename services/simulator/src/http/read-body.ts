import type { IncomingMessage } from 'node:http';

/** Resolves to undefined if the body is longer than `maxBytes`; rejects if the caller disconnects before its end. */
export function readBody(req: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    req.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes > maxBytes) {
        // The rest is read and discarded, so that the caller receives the answer instead of a reset.
        parts.length = 0;
        resolve(undefined);
      } else {
        parts.push(part);
      }
    });
    req.on('end', () => resolve(parts.length === 1 ? parts[0] : Buffer.concat(parts)));
    req.on('error', reject);
  });
}
