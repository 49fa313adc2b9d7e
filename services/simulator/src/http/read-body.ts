import type { IncomingMessage } from 'node:http';

/** Resolves to undefined when the body is longer than `maxBytes`; rejects when the caller goes before its end. */
export function readBody(req: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    req.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes > maxBytes) {
        // What still comes is read and thrown away, so that the caller sees the answer and not a reset.
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
