import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeServer } from '@gateway/process';
import { afterEach, describe, expect, test } from '@jest/globals';
import express from 'express';
import { StreamedFile } from '../routes/streamed-file';
import { sendFile } from './send';

const PART = 'x'.repeat(1_000_000);

describe('a streamed file', () => {
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  /** Serves the parts to one client. */
  async function serve(
    parts: AsyncIterable<string>,
  ): Promise<{ reply: IncomingMessage; outcome: Promise<unknown> }> {
    const sending = Promise.withResolvers<Promise<unknown>>();
    const app = express();
    app.use((_request, response) => {
      const left = new AbortController();
      response.once('close', () => left.abort());
      const sent = sendFile(response, new StreamedFile('text/csv', 'a.csv', parts), left.signal);
      sending.resolve(sent.catch((error: unknown) => error));
    });
    const server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const call = request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }).end();
    ends.push(() => {
      call.destroy();
      return closeServer(server);
    });
    const [reply] = (await once(call, 'response')) as [IncomingMessage];
    return { reply, outcome: sending.promise.then((sent) => sent) };
  }

  test('reads parts only as the client takes them, and stops without an error when it disconnects', async () => {
    let read = 0;
    let isEnded = false;
    async function* parts() {
      try {
        for (; read < 1_000; read++) yield PART;
      } finally {
        isEnded = true;
      }
    }
    const { reply, outcome } = await serve(parts());
    await once(reply, 'readable');
    reply.destroy();
    expect(await outcome).toBeUndefined();
    expect(isEnded).toBe(true);
    expect(read).toBeLessThan(100);
  });

  test('that fails is cut off, and the failure is reported', async () => {
    const failure = new Error('the database is gone');
    const received = Promise.withResolvers<void>();
    async function* parts() {
      yield 'id\r\n';
      await received.promise;
      throw failure;
    }
    const { reply, outcome } = await serve(parts());
    received.resolve();
    await expect(reply.toArray()).rejects.toThrow('aborted');
    expect(await outcome).toBe(failure);
  });
});
