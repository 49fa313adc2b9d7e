import http, { type IncomingMessage } from 'node:http';
import type { LoadOrder } from './load-contract';

const CALL_TIMEOUT_MS = 30_000;
const ERROR_BODY_CHARS = 300;

const agent = new http.Agent({ keepAlive: true, maxSockets: 4_096 });

/** One POST on a kept connection; `read` gets the response once its status is 200. */
export function post<T>(
  order: LoadOrder,
  read: (response: IncomingMessage, resolve: (value: T) => void, reject: (error: Error) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', agent, headers: order.headers, timeout: CALL_TIMEOUT_MS };
    const request = http.request(order.url, options, (response) => {
      response.once('error', reject);
      if (response.statusCode === 200) read(response, resolve, reject);
      else readRefusal(response, reject);
    });
    request.once('error', reject);
    request.once('timeout', () => request.destroy(new Error(`nothing came for ${CALL_TIMEOUT_MS} ms`)));
    request.end(order.body);
  });
}

function readRefusal(response: IncomingMessage, reject: (error: Error) => void): void {
  let text = '';
  response.setEncoding('utf8');
  response.on('data', (part: string) => {
    if (text.length < ERROR_BODY_CHARS) text += part;
  });
  response.once('end', () =>
    reject(new Error(`status ${response.statusCode}: ${text.slice(0, ERROR_BODY_CHARS)}`)),
  );
}
