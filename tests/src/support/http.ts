import http from 'node:http';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the test knows what it asked for.
  readonly json: any;
}

const ownConnections = new http.Agent({ keepAlive: false });

/** Posts JSON over a new connection and reads the whole response. */
export function postJson(
  url: string,
  body: unknown,
  apiKey?: string,
  more: Record<string, string> = {},
): Promise<HttpAnswer> {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const headers: http.OutgoingHttpHeaders = {
    'content-type': 'application/json',
    'content-length': bytes.length,
    ...(apiKey && { authorization: `Bearer ${apiKey}` }),
    ...more,
  };
  return sendRequest(url, 'POST', headers, bytes);
}

export function sendRequest(
  url: string,
  method: string,
  headers: http.OutgoingHttpHeaders = {},
  body?: Buffer,
  agent = ownConnections,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method, headers, agent }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (bytes: Buffer) => pieces.push(bytes));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(pieces).toString('utf8');
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: parse(text) });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A response whose headers have arrived and whose body is not read yet. */
export interface OpenStream {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: http.IncomingMessage;
  leave(): void;
}

export function openStream(url: string, body: string, apiKey: string): Promise<OpenStream> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` };
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method: 'POST', headers, agent: ownConnections }, (response) => {
      response.on('error', () => {});
      const leave = () => request.destroy();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: response, leave });
    });
    request.on('error', reject);
    request.end(body);
  });
}
