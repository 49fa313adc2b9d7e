import { GatewayError } from '@gateway/errors';
import { ClientDisconnected } from '@gateway/rpc';
import { until } from '@gateway/testing';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { connectPool, log, RecordingSink, request, startTestServer, type TestServer } from './link.fixture';
import type { LinkedCall } from './link-client';
import { LINK_REQUEST_WINDOW_BYTES, LINK_SLICE_BYTES } from './link-limits';
import type { LinkCall, LinkHandler } from './server-call';

const MIB = 1024 * 1024;
const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function serve(handler: LinkHandler): Promise<TestServer> {
  const started = await startTestServer(handler);
  cleanUps.push(() => started.server.stop(0));
  return started;
}

function connect(address: string) {
  const { pool, close } = connectPool([address]);
  cleanUps.push(close);
  return pool;
}

/** A sink that sends a streamed body as fast as the link accepts it. */
class SendingSink extends RecordingSink {
  drains = 0;
  #wake: (() => void) | undefined;

  onBodyDrain(): void {
    this.drains += 1;
    this.#wake?.();
  }

  async send(call: LinkedCall, pieces: Iterable<Buffer>): Promise<void> {
    for (const piece of pieces) {
      if (call.sendBody(piece)) continue;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    call.endBody();
  }
}

const streamed = (timeoutMs?: number) => {
  const { open, body } = request('', '/', timeoutMs);
  return { open: { ...open, bodyStreams: true }, body };
};

function* pieces(bytes: Buffer, pieceBytes: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

async function gather(body: AsyncIterable<Buffer> | undefined): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of body ?? []) all.push(piece);
  return Buffer.concat(all);
}

const ok = (body: Buffer | string = '') => ({ status: 200, headers: {}, body: Buffer.from(body) });

describe('a streamed body', () => {
  test('is read by the handler while it arrives, complete and in order', async () => {
    const begun: LinkCall[] = [];
    const received: Buffer[] = [];
    const { address, links } = await serve(async (_context, call) => {
      begun.push(call);
      received.push(await gather(call.bodyStream));
      return ok('done');
    });
    const pool = connect(address);
    const body = Buffer.alloc(9 * MIB, 'streamed body ');
    for (const pieceBytes of [1_001, LINK_SLICE_BYTES, 3 * MIB]) {
      const sink = new SendingSink();
      const call = await pool.call(streamed(), sink);
      await until(() => begun.length === received.length + 1);
      await sink.send(call, pieces(body, pieceBytes));
      await sink.over;
      expect(sink.text).toBe('done');
      expect(received.at(-1)?.equals(body)).toBe(true);
    }
    expect(begun[0]?.body.length).toBe(0);
    await until(() => links.callsInFlight === 0);
  });

  test('may be empty', async () => {
    const { address } = await serve(async (_context, call) =>
      ok(`${(await gather(call.bodyStream)).length}`),
    );
    const sink = new SendingSink();
    (await connect(address).call(streamed(), sink)).endBody();
    await sink.over;
    expect(sink.text).toBe('0');
  });

  test('is not sent faster than it is read, and does not delay other calls', async () => {
    let take: () => void = () => undefined;
    const taken = new Promise<void>((resolve) => {
      take = resolve;
    });
    const { address } = await serve(async (_context, call) => {
      if (!call.bodyStream) return ok(call.body);
      await taken;
      return ok(`${(await gather(call.bodyStream)).length}`);
    });
    const pool = connect(address);
    const sink = new SendingSink();
    const call = await pool.call(streamed(), sink);
    let sentBytes = 0;
    const counted = function* () {
      for (const piece of pieces(Buffer.alloc(4 * MIB), 65_536)) {
        sentBytes += piece.length;
        yield piece;
      }
    };
    const sending = sink.send(call, counted());
    const other = new RecordingSink();
    await pool.call(request('small'), other);
    await other.over;
    expect(other.text).toBe('small');
    expect(sentBytes).toBe(LINK_REQUEST_WINDOW_BYTES);
    expect(sink.drains).toBe(0);
    take();
    await sending;
    await sink.over;
    expect(sink.text).toBe(String(4 * MIB));
  });

  test('is no longer read once the call has been answered', async () => {
    const { address, links } = await serve(async (_context, { bodyStream }) => {
      for await (const _piece of bodyStream ?? [])
        throw new GatewayError('invalid_request', { detail: 'no' });
      return ok();
    });
    const sink = new SendingSink();
    const call = await connect(address).call(streamed(), sink);
    expect(call.sendBody(Buffer.alloc(1_000))).toBe(true);
    await sink.over;
    expect(sink.error).toMatchObject({ code: 'invalid_request', detail: 'no' });
    expect(call.sendBody(Buffer.alloc(1_000))).toBe(false);
    call.endBody();
    await until(() => links.callsInFlight === 0);
    expect(sink.drains).toBe(0);
  });

  test('may be answered before it is complete', async () => {
    const { address } = await serve(async (_context, { bodyStream }) => ({
      status: 200,
      headers: {},
      body: bodyStream ?? Buffer.alloc(0),
    }));
    const sink = new SendingSink((bytes) => call.consumed(bytes.length));
    const call = await connect(address).call(streamed(), sink);
    const body = Buffer.alloc(3 * MIB, 'echo ');
    await sink.send(call, pieces(body, 50_000));
    await sink.over;
    expect(Buffer.concat(sink.chunks).equals(body)).toBe(true);
  });
});

describe('a streamed body that never completes', () => {
  /** Starts a server that reads bodies and records the errors that ended them. */
  async function reading() {
    const ends: unknown[] = [];
    let bytes = 0;
    const started = await serve(async (_context, { bodyStream }) => {
      try {
        for await (const piece of bodyStream ?? []) bytes += piece.length;
      } catch (error) {
        ends.push(error);
        throw error;
      }
      return ok();
    });
    return { ...started, ends, bytes: () => bytes };
  }

  test('fails its handler when the client disconnects', async () => {
    const { address, links, ends, bytes } = await reading();
    cleanUps.push(() => jest.restoreAllMocks());
    const errors = jest.spyOn(log, 'error');
    // Each call has its own child logger.
    jest.spyOn(log, 'child').mockReturnValue(log as never);
    const sink = new SendingSink();
    const call = await connect(address).call(streamed(), sink);
    call.sendBody(Buffer.alloc(1_000));
    await until(() => bytes() === 1_000);
    call.cancel();
    expect(call.sendBody(Buffer.alloc(1_000))).toBe(false);
    call.endBody();
    await until(() => links.callsInFlight === 0);
    expect(ends).toEqual([expect.any(ClientDisconnected)]);
    expect(errors).not.toHaveBeenCalled();
    expect(bytes()).toBe(1_000);
    expect(sink.error).toBeUndefined();
  });

  test('fails its handler and then its caller at the deadline', async () => {
    const { address, links, ends } = await reading();
    const sink = new SendingSink();
    await connect(address).call(streamed(50), sink);
    await sink.over;
    expect(sink.error).toMatchObject({ code: 'invalid_request' });
    expect(ends).toHaveLength(1);
    await until(() => links.callsInFlight === 0);
  });

  test('fails on both sides when the link is lost', async () => {
    const { address, links, server, ends, bytes } = await reading();
    const sink = new SendingSink();
    const call = await connect(address).call(streamed(), sink);
    call.sendBody(Buffer.alloc(10));
    await until(() => bytes() === 10);
    await server.stop(0);
    await sink.over;
    expect(sink.error?.code).toBe('internal_error');
    expect(call.sendBody(Buffer.alloc(10))).toBe(false);
    await until(() => links.callsInFlight === 0);
    expect(ends).toEqual([expect.any(ClientDisconnected)]);
  });
});
