import http, { type IncomingMessage } from 'node:http';

const CALL_TIMEOUT_MS = 30_000;
const ERROR_BODY_CHARS = 300;

const agent = new http.Agent({ keepAlive: true, maxSockets: 4_096 });

export interface Sent {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of a POST; without one it is a GET. */
  readonly body?: string;
}

/** One call on a kept connection; `read` gets the response once its status is 200. */
export function send<T>(
  { url, headers, body }: Sent,
  read: (response: IncomingMessage, resolve: (value: T) => void, reject: (error: Error) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const request = http.request(url, { method, agent, headers, timeout: CALL_TIMEOUT_MS }, (response) => {
      response.once('error', reject);
      if (response.statusCode === 200) read(response, resolve, reject);
      else readRefusal(response, reject);
    });
    request.once('error', reject);
    request.once('timeout', () => request.destroy(new Error(`nothing came for ${CALL_TIMEOUT_MS} ms`)));
    request.end(body);
  });
}

/** The whole answer. */
export function sendForText(sent: Sent): Promise<string> {
  return send<string>(sent, (response, resolve) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (part: string) => {
      text += part;
    });
    response.once('end', () => resolve(text));
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
