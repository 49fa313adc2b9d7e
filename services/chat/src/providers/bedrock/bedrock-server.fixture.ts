import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { recording } from '../recorded-replies.fixture';
import { type SigningAccount, signatureProblem } from './verify-signature.fixture';

export interface BedrockServer {
  readonly url: string;
  /** The requests that it has answered. */
  readonly requests: readonly {
    readonly model: string;
    readonly accept: string | undefined;
    readonly body: unknown;
  }[];
  close(): Promise<void>;
}

const ROUTE = /^\/model\/([^/]+)\/(converse|converse-stream)$/;
/** Messages and their heads arrive in several pieces. */
const PIECE_BYTES = 100;

/**
 * Starts a server that answers as Bedrock's runtime does: with recorded replies, and 403 for a wrong signature or API key.
 * @param account verifies signatures; a string is the only API key
 */
export async function startBedrock(account: SigningAccount | string): Promise<BedrockServer> {
  const requests: { model: string; accept: string | undefined; body: unknown }[] = [];
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const { method = '', url: path = '', headers } = request;
    const route = ROUTE.exec(path);
    if (!route || method !== 'POST')
      return refuse(response, 404, 'UnknownOperationException', 'no such operation');
    const problem =
      typeof account === 'string'
        ? apiKeyProblem(headers, account)
        : signatureProblem({ method, path, headers, body }, account, Date.now());
    if (problem) return refuse(response, 403, 'InvalidSignatureException', problem);
    requests.push({
      model: decodeURIComponent(route[1]!),
      accept: headers.accept,
      body: JSON.parse(body.toString()),
    });
    if (route[2] === 'converse') return answer(response, 200, recording('bedrock', 'tool-calls.json'));
    response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
    const stream = recording('bedrock', 'tool-calls.jsonl');
    for (let at = 0; at < stream.length; at += PIECE_BYTES)
      response.write(stream.subarray(at, at + PIECE_BYTES));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function apiKeyProblem({ authorization }: http.IncomingHttpHeaders, apiKey: string): string | undefined {
  return authorization === `Bearer ${apiKey}` ? undefined : 'unknown API key';
}

function refuse(response: http.ServerResponse, status: number, type: string, message: string): void {
  response.setHeader(
    'x-amzn-errortype',
    `${type}:http://internal.amazon.com/coral/com.amazon.coral.service/`,
  );
  answer(response, status, Buffer.from(JSON.stringify({ message })));
}

function answer(response: http.ServerResponse, status: number, body: Buffer): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(body);
}
