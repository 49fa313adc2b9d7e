import http from 'node:http';
import type { LookupFunction } from 'node:net';

export interface JsonAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the caller knows what it asked for.
  readonly body: any;
}

const TIMEOUT_MS = 15_000;

/**
 * Sends a JSON request to a server on this machine. The host name of the URL is sent but not resolved.
 */
export function requestJson(
  method: 'GET' | 'POST',
  url: string,
  token?: string,
  body?: unknown,
): Promise<JsonAnswer> {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const headers: http.OutgoingHttpHeaders = {};
  if (token) headers.authorization = `Bearer ${token}`;
  if (payload !== undefined) {
    headers['content-type'] = 'application/json';
    headers['content-length'] = Buffer.byteLength(payload);
  }
  return new Promise((resolve, reject) => {
    const request = http.request(
      url,
      { method, headers, agent: false, signal: AbortSignal.timeout(TIMEOUT_MS), lookup: toLoopback },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, body: parse(text) });
        });
      },
    );
    request.once('error', reject);
    request.end(payload);
  });
}

const toLoopback: LookupFunction = (_name, options, callback) => {
  if (options.all) callback(null, [{ address: '127.0.0.1', family: 4 }]);
  else callback(null, '127.0.0.1', 4);
};

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
