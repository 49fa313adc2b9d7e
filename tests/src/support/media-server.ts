import { createHmac } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** Seconds of a finished video as Kling reports them: of the file, a few frames more than are charged. */
const REPORTED_SECONDS = '5.041';
const IMAGE_BYTES = Buffer.from('89504e470d0a1a0a', 'hex');

/** A small server with OpenAI's images API and Kling's videos API, independent of the simulator. */
export interface MediaServer {
  readonly origin: string;
  /** API keys of the images API. */
  readonly imageKeys: Set<string>;
  /** Secret keys of the videos API by their access keys. All are of one account, which sees all tasks. */
  readonly videoKeys: Map<string, string>;
  /** Access keys that are out of their rate limit for new tasks. */
  readonly limited: Set<string>;
  /** Ids of tasks by the access key that created them, in order. */
  readonly created: [accessKey: string, task: string][];
  /** Polls since the test cleared them. */
  readonly polls: [accessKey: string, task: string][];
  /** Whether its tasks have succeeded. */
  done: boolean;
  stop(): Promise<void>;
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

export async function startMediaServer(): Promise<MediaServer> {
  const state = {
    imageKeys: new Set<string>(),
    videoKeys: new Map<string, string>(),
    limited: new Set<string>(),
    created: [] as [string, string][],
    polls: [] as [string, string][],
    done: false,
  };
  const server = http.createServer((request, response) => {
    request.resume().on('end', () => {
      const { status, body } = answer(state, request);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(state, {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

type State = Omit<MediaServer, 'origin' | 'stop'>;

function answer(state: State, { method, url = '', headers }: http.IncomingMessage): Reply {
  const bearer = (headers.authorization ?? '').replace(/^Bearer /, '');
  if (url === '/v1/images/generations') return image(state, bearer);
  const accessKey = signerOf(bearer, state.videoKeys);
  if (accessKey === undefined)
    return { status: 401, body: { code: 1002, message: `Unknown token ${bearer}` } };
  if (method === 'POST') return createTask(state, accessKey);
  return task(state, accessKey, url.slice(url.lastIndexOf('/') + 1));
}

function image({ imageKeys }: State, key: string): Reply {
  if (!imageKeys.has(key)) {
    const error = {
      message: 'Incorrect API key provided',
      type: 'invalid_request_error',
      code: 'invalid_api_key',
    };
    return { status: 401, body: { error } };
  }
  const usage = { input_tokens: 5, output_tokens: 272, total_tokens: 277 };
  const data = [{ b64_json: IMAGE_BYTES.toString('base64') }];
  return { status: 200, body: { created: 1_795_000_000, data, usage } };
}

/** Returns the access key that signed a token (HS256); undefined for an invalid one. */
function signerOf(token: string, keys: ReadonlyMap<string, string>): string | undefined {
  const [head = '', claims = '', signature = ''] = token.split('.');
  const { iss, exp } = parse(claims);
  const secret = typeof iss === 'string' ? keys.get(iss) : undefined;
  if (secret === undefined || Number(exp) * 1_000 < Date.now()) return undefined;
  const expected = createHmac('sha256', secret).update(`${head}.${claims}`).digest('base64url');
  return signature === expected ? String(iss) : undefined;
}

function parse(claims: string): Record<string, unknown> {
  try {
    return JSON.parse(Buffer.from(claims, 'base64url').toString());
  } catch {
    return {};
  }
}

function createTask({ limited, created }: State, accessKey: string): Reply {
  if (limited.has(accessKey)) return { status: 429, body: { code: 1302, message: 'Too fast' } };
  const id = String(867_000 + created.length);
  created.push([accessKey, id]);
  return { status: 200, body: { code: 0, data: { task_id: id, task_status: 'submitted' } } };
}

function task({ created, polls, done }: State, accessKey: string, id: string): Reply {
  if (!created.some(([, known]) => known === id)) {
    return { status: 404, body: { code: 1203, message: 'The requested resource does not exist' } };
  }
  polls.push([accessKey, id]);
  const videos = [{ url: `https://cdn.test/${id}.mp4`, duration: REPORTED_SECONDS }];
  const ended = { task_status: 'succeed', task_result: { videos } };
  return {
    status: 200,
    body: { code: 0, data: { task_id: id, task_status: 'processing', ...(done && ended) } },
  };
}
