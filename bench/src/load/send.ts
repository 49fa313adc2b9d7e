import http, { type IncomingMessage } from 'node:http';

const CALL_TIMEOUT_MS = 30_000;
const ERROR_BODY_CHARS = 300;

const agent = new http.Agent({ keepAlive: true, maxSockets: 4_096 });

export interface SendRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** With a body the request is a POST, otherwise a GET. */
  readonly body?: string;
}

/** Sends a request on a persistent connection and passes a response with status 200 to `read`. */
export function send<T>(
  { url, headers, body }: SendRequest,
  read: (response: IncomingMessage, resolve: (value: T) => void, reject: (error: Error) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const request = http.request(url, { method, agent, headers, timeout: CALL_TIMEOUT_MS }, (response) => {
      response.once('error', reject);
      if (response.statusCode === 200) read(response, resolve, reject);
      else readError(response, reject);
    });
    request.once('error', reject);
    request.once('timeout', () => request.destroy(new Error(`no data for ${CALL_TIMEOUT_MS} ms`)));
    request.end(body);
  });
}

/** Sends a request and returns the whole body of the response. */
export function sendForText(request: SendRequest): Promise<string> {
  return send<string>(request, (response, resolve) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (part: string) => {
      text += part;
    });
    response.once('end', () => resolve(text));
  });
}

function readError(response: IncomingMessage, reject: (error: Error) => void): void {
  let text = '';
  response.setEncoding('utf8');
  response.on('data', (part: string) => {
    if (text.length < ERROR_BODY_CHARS) text += part;
  });
  response.once('end', () =>
    reject(new Error(`status ${response.statusCode}: ${text.slice(0, ERROR_BODY_CHARS)}`)),
  );
}
