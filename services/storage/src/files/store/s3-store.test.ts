import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type S3Server, startS3Server, until } from '@gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { describeWithS3, openS3Store } from '../../testing/store-fixture';
import { ObjectStoreError } from './object-store';
import type { S3Options, S3Store } from './s3-store';

const MIB = 1024 ** 2;
const TIMEOUT_MS = 500;
/** Three attempts, the pauses between them, and a busy machine. */
const GIVES_UP_WITHIN_MS = 3 * TIMEOUT_MS + 5_000;

/** Of a connection in /proc/net/tcp. */
const ESTABLISHED = '01';

async function* streamOf(...pieces: readonly (Buffer | (() => unknown))[]): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    if (Buffer.isBuffer(piece)) yield piece;
    else await piece();
  }
}

const opened: S3Store[] = [];
const open = async (server: S3Server, options?: Partial<S3Options>) => {
  const found = await openS3Store(server, options);
  opened.push(found.store);
  return found;
};
afterEach(() => {
  for (const store of opened.splice(0)) store.close();
});

/** Returns what each operation throws. */
async function errorsOf(store: S3Store): Promise<unknown[]> {
  const work = [
    store.put('a', streamOf(Buffer.from('x'))),
    store.read('a'),
    store.delete('a'),
    store.reached(),
  ];
  return Promise.all(
    work.map((promise) =>
      promise.then(
        () => 'no error',
        (error) => error,
      ),
    ),
  );
}

describeWithS3('a bucket', () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await startS3Server();
  }, 30_000);
  afterAll(async () => {
    await server?.stop();
  });

  test('has keys with the prefix, and no object of another prefix is seen', async () => {
    const [{ store }, { store: other }] = [
      await open(server, { prefix: 'gateway/' }),
      await open(server, { prefix: 'other/' }),
    ];
    await store.put('a', streamOf(Buffer.from('text')));
    expect(server.files()).toEqual(['gateway/a']);
    expect(await other.read('a')).toBeUndefined();
    await other.delete('a');
    expect(await text((await store.read('a'))!)).toBe('text');
    await store.delete('a');
    expect(server.files()).toEqual([]);
  });

  test('is used with the credentials of the AWS environment', async () => {
    const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, ...others } = process.env;
    process.env = {
      ...others,
      AWS_ACCESS_KEY_ID: server.accessKeyId,
      AWS_SECRET_ACCESS_KEY: server.secretAccessKey,
    };
    try {
      const { store } = await open(server, { credentials: undefined });
      expect(await store.reached()).toBe(true);
    } finally {
      process.env = { ...others, ...(AWS_ACCESS_KEY_ID && { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY }) };
    }
  });

  test.each<[string, Partial<S3Options>, RegExp]>([
    [
      'a wrong secret',
      { credentials: { accessKeyId: 'key-of-tests', secretAccessKey: 'wrong-secret' } },
      /SignatureDoesNotMatch 403/,
    ],
    [
      'an unknown key',
      { credentials: { accessKeyId: 'unknown-key', secretAccessKey: 'wrong-secret' } },
      /(InvalidAccessKeyId|UserNotFound) 40[34]/,
    ],
    ['a missing bucket', { bucket: 'missing' }, /NoSuchBucket 404/],
    ['a wrong address', { endpoint: 'http://127.0.0.1:9' }, /ECONNREFUSED/],
  ])(
    'with %s is an error for every operation, which says why and nothing secret',
    async (_what, options, reason) => {
      const { store, failures } = await open(server, options);
      const errors = await errorsOf(store);
      const messages = errors.map((error) =>
        error instanceof ObjectStoreError ? error.message : String(error),
      );
      for (const message of messages.slice(0, 3)) expect(message).toMatch(reason);
      // A HEAD request has no body with a code.
      expect(messages[3]).toMatch(/^object store: check failed \(.*(40[34]|ECONNREFUSED)/);
      expect(messages.join()).not.toMatch(/wrong-secret|unknown-key|key-of-tests|127\.0\.0\.1/);
      expect(errors.map((error) => Object.keys(error as object))).toEqual(errors.map(() => ['name']));
      expect(failures.sort()).toEqual(['check', 'delete', 'put', 'read']);
    },
  );

  test('is reached once it is there, and stays so', async () => {
    const { store } = await open(server, { timeoutMs: TIMEOUT_MS });
    await server.kill();
    const checks = await Promise.allSettled([store.reached(), store.reached()]);
    expect(checks.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await server.start();
    expect(await store.reached()).toBe(true);
    await server.kill();
    expect(await store.reached()).toBe(true);
    await server.start();
  }, 30_000);

  test('whose server is killed during an upload has no object, and its parts are deleted with it', async () => {
    const { store } = await open(server, { timeoutMs: TIMEOUT_MS });
    const upload = store.put(
      'cut',
      streamOf(Buffer.alloc(11 * MIB), () => server.kill(), Buffer.alloc(11 * MIB)),
    );
    await expect(upload).rejects.toThrow(/object store: put failed \(.*(ECONNREFUSED|ECONNRESET)/);
    await server.start();
    expect(await store.read('cut')).toBeUndefined();
    expect(server.files()).not.toEqual([]);
    await store.delete('cut');
    expect(server.files()).toEqual([]);
  }, 30_000);

  test('an upload goes on when its server is restarted between two parts', async () => {
    const { store } = await open(server);
    const content = randomBytes(11 * MIB);
    const restart = async () => {
      await server.kill();
      await server.start();
    };
    await store.put('whole', streamOf(content.subarray(0, 6 * MIB), restart, content.subarray(6 * MIB)));
    expect((await buffer((await store.read('whole'))!)).equals(content)).toBe(true);
    await store.delete('whole');
  }, 30_000);

  test('whose server is killed during a download gives an error, not a shorter object', async () => {
    const { store, failures } = await open(server, { timeoutMs: TIMEOUT_MS });
    await store.put('cut', streamOf(randomBytes(40 * MIB)));
    const content = (await store.read('cut'))!;
    const reading = (async () => {
      let bytes = 0;
      for await (const piece of content) {
        if (bytes === 0) await server.kill();
        bytes += piece.length;
      }
      return bytes;
    })();
    await expect(reading).rejects.toThrow(ObjectStoreError);
    expect(failures).toEqual(['read']);
    await server.start();
    await store.delete('cut');
  }, 30_000);

  describe('whose server is frozen', () => {
    const freeze = () => process.kill(server.pid, 'SIGSTOP');
    afterEach(() => {
      process.kill(server.pid, 'SIGCONT');
    });

    test('fails every operation at its deadline', async () => {
      const { store, failures } = await open(server, { timeoutMs: TIMEOUT_MS });
      freeze();
      const startedAt = performance.now();
      const errors = await errorsOf(store);
      expect(performance.now() - startedAt).toBeLessThan(GIVES_UP_WITHIN_MS);
      for (const error of errors) expect(String(error)).toMatch(/TimeoutError/);
      expect(failures).toHaveLength(4);
    }, 30_000);

    test('fails a download at its deadline, which no slow reader reaches', async () => {
      const { store } = await open(server, { timeoutMs: TIMEOUT_MS });
      await store.put('slow', streamOf(randomBytes(40 * MIB)));
      const content = (await store.read('slow'))![Symbol.asyncIterator]();
      await content.next();
      await sleep(2 * TIMEOUT_MS);
      expect((await content.next()).done).toBe(false);
      freeze();
      const startedAt = performance.now();
      const rest = (async () => {
        while (!(await content.next()).done);
      })();
      await expect(rest).rejects.toThrow(/object store: read failed \(TimeoutError/);
      expect(performance.now() - startedAt).toBeLessThan(GIVES_UP_WITHIN_MS);
    }, 30_000);
  });

  test('an upload of 100 MiB needs the memory of one part', async () => {
    const { store } = await open(server);
    const piece = randomBytes(64 * 1024);
    const memory = () => process.memoryUsage().arrayBuffers;
    const before = memory();
    let most = 0;
    const content = async function* () {
      for (let at = 0; at < 1_600; at++) {
        most = Math.max(most, memory() - before);
        yield piece;
      }
    };
    await store.put('large', content());
    let bytes = 0;
    for await (const read of (await store.read('large'))!) bytes += read.length;
    expect(bytes).toBe(100 * MIB);
    expect(most).toBeLessThan(16 * MIB);
    await store.delete('large');
  }, 60_000);

  test('connections of readers who leave are closed', async () => {
    const { store } = await open(server);
    await store.put('left', streamOf(randomBytes(20 * MIB)));
    for (let at = 0; at < 20; at++) for await (const _piece of (await store.read('left'))!) break;
    await store.delete('left');
    await until(() => connectionsTo(server) <= 1);
  });
});

function connectionsTo({ endpoint }: S3Server): number {
  const port = Number(new URL(endpoint).port).toString(16).toUpperCase().padStart(4, '0');
  const rows = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n').slice(1);
  return rows.filter((row) => {
    const [, , remote = '', state] = row.trim().split(/\s+/);
    return remote.endsWith(`:${port}`) && state === ESTABLISHED;
  }).length;
}

describe('a store that answers with errors', () => {
  async function withServer<T>(answer: RequestListener, work: (store: S3Store) => Promise<T>): Promise<T> {
    const server = createServer(answer).listen(0, '127.0.0.1');
    await until(() => server.listening);
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const { store } = await open({ endpoint, accessKeyId: 'a', secretAccessKey: 'b' } as S3Server);
      return await work(store);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }
  const SLOW_DOWN = '<Error><Code>SlowDown</Code><Message>secret-access-key</Message></Error>';

  test('is asked three times', async () => {
    let requests = 0;
    const error = await withServer(
      (request, response) => {
        requests += 1;
        request.resume();
        response.writeHead(503, { 'content-type': 'application/xml' }).end(SLOW_DOWN);
      },
      (store) => store.put('a', streamOf(Buffer.from('x'))).catch((thrown) => thrown),
    );
    expect([requests, String(error)]).toEqual([
      3,
      'ObjectStoreError: object store: put failed (SlowDown 503)',
    ]);
  }, 30_000);

  test('is used when it answers again', async () => {
    let requests = 0;
    await withServer(
      (request, response) => {
        requests += 1;
        request.resume();
        if (requests < 3) response.writeHead(503, { 'content-type': 'application/xml' }).end(SLOW_DOWN);
        else response.writeHead(200).end();
      },
      (store) => store.put('a', streamOf(Buffer.from('x'))),
    );
    expect(requests).toBe(3);
  }, 30_000);

  test('fails a put whose parts it could not put together, although its status was 200', async () => {
    const error = await withServer(
      (request, response) => {
        request.resume();
        const { searchParams } = new URL(request.url ?? '', 'http://store');
        response.setHeader('content-type', 'application/xml');
        if (searchParams.has('uploads'))
          response.end(
            '<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>',
          );
        else if (searchParams.has('partNumber')) response.setHeader('etag', '"1"').end();
        else response.end('<Error><Code>InternalError</Code><Message>failed</Message></Error>');
      },
      (store) => store.put('a', streamOf(Buffer.alloc(6 * MIB))).catch((thrown) => thrown),
    );
    expect(String(error)).toMatch(/object store: put failed \(InternalError/);
  }, 30_000);
});
