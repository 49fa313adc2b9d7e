import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

export function sendJson(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers: OutgoingHttpHeaders = {},
): void {
  const text = JSON.stringify(body);
  res.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  res.end(text);
}

/** Sends what was written, then closes in the middle of the reply; `destroy` would discard queued bytes. */
export function dropConnection(res: ServerResponse): void {
  res.socket?.destroySoon();
}

export function resetConnection(res: ServerResponse): void {
  res.socket?.resetAndDestroy();
}
