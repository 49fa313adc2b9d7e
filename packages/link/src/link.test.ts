import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError } from '@gateway/errors';
import { memoryQuota } from '@gateway/quota';
import { until } from '@gateway/testing';
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  connectChangingPool,
  connectPool,
  RecordingSink,
  request,
  startTestServer,
  type TestServer,
} from './link.fixture';
import { LINK_REPLY_WINDOW_BYTES, LINK_SLICE_BYTES } from './link-limits';
import type { LinkCall, LinkHandler } from './server-call';

const MIB = 1024 * 1024;
const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function serve(...of: Parameters<typeof startTestServer>): Promise<TestServer> {
  const started = await startTestServer(...of);
  cleanUps.push(() => started.server.stop(0));
  return started;
}

function connect(...addresses: string[]) {
  const { pool, close } = connectPool(addresses);
  cleanUps.push(close);
  return pool;
}

const echo: LinkHandler = async (_context, { body, path }) => ({
  status: 200,
  headers: { 'x-path': path },
  body,
});

/** `opened` resolves when `open` is called. */
function gate() {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describe('a call', () => {
  test('is refused while another call with its request id is in flight on any link, and accepted afterwards', async () => {
    const { open, opened } = gate();
    let handled = 0;
    const { address } = await serve(async (context, call) => {
      handled += 1;
      await opened;
      return echo(context, call);
    });
    const sent = request('body');
    const send = async () => {
      const sink = new RecordingSink();
      await connect(address).call(sent, sink);
      return sink;
    };
    const first = await send();
    await until(() => handled === 1);
    for (const duplicate of [await send(), await send()]) {
      await duplicate.over;
      expect(duplicate.error).toMatchObject({
        code: 'invalid_request',
        detail: 'a call with this request id is in flight',
      });
    }
    open();
    await first.over;
    const next = await send();
    await next.over;
    expect([first.text, next.text, handled]).toEqual(['body', 'body', 2]);
  });

  test('carries the request and its reply', async () => {
    let seen: LinkCall | undefined;
    const { address } = await serve(async (context, call) => {
      seen = call;
      return { status: 201, headers: { 'x-request': context.requestId }, body: Buffer.from('reply') };
    });
    const sink = new RecordingSink();
    const sent = request('body', '/there');
    await connect(address).call(sent, sink);
    await sink.over;
    expect(seen).toMatchObject({ method: 'POST', path: '/there', key: { keyId: 'key-1' } });
    expect(seen?.body.toString()).toBe('body');
    expect(sink).toMatchObject({
      status: 201,
      headers: { 'x-request': sent.open.requestId },
      text: 'reply',
      ended: true,
    });
  });

  test('fails with the error that the handler threw', async () => {
    const { address } = await serve(async () => {
      throw new GatewayError('missing_parameter', { param: 'model', detail: 'model is required' });
    });
    const sink = new RecordingSink();
    await connect(address).call(request(), sink);
    await sink.over;
    expect(sink.error).toMatchObject({
      code: 'missing_parameter',
      param: 'model',
      detail: 'model is required',
    });
  });

  test('fails after part of its reply when the reply stream throws', async () => {
    const { address } = await serve(async () => ({
      status: 200,
      headers: {},
      body: (async function* () {
        yield Buffer.from('first');
        throw new Error('broken');
      })(),
    }));
    const sink = new RecordingSink();
    await connect(address).call(request(), sink);
    await sink.over;
    expect(sink).toMatchObject({ status: 200, text: 'first', ended: false });
    expect(sink.error?.code).toBe('internal_error');
  });

  test('aborts its handler at the deadline', async () => {
    const { address } = await serve(async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw new GatewayError('upstream_failed');
    });
    const sink = new RecordingSink();
    await connect(address).call(request('', '/', 20), sink);
    await sink.over;
    expect(sink.error?.code).toBe('upstream_failed');
  });

  test('may stream for longer than its timeout once it has been answered', async () => {
    const released = gate();
    const { address } = await serve(async ({ signal }) => ({
      status: 200,
      headers: {},
      body: (async function* () {
        yield Buffer.from('first ');
        await released.opened;
        yield Buffer.from(signal.aborted ? 'aborted' : 'last');
      })(),
    }));
    const sink = new RecordingSink();
    const headMs = 50;
    await connect(address).call(request('', '/', headMs), sink);
    await until(() => sink.bytes > 0);
    setTimeout(released.open, 3 * headMs);
    await sink.over;
    expect(sink).toMatchObject({ text: 'first last', ended: true });
  });

  test('accepts the largest timeout that its field can hold', async () => {
    const { address } = await serve(echo);
    const sink = new RecordingSink();
    await connect(address).call(request('x', '/', 0xffff_ffff), sink);
    await sink.over;
    expect(sink.text).toBe('x');
  });

  test('is cancelled when its sink throws, without affecting other calls', async () => {
    const aborted = gate();
    const { address } = await serve(async ({ signal }, call) => {
      if (call.path !== '/bad') return echo({} as never, call);
      signal.addEventListener('abort', aborted.open);
      return { status: 200, headers: {}, body: slowChunks(signal) };
    });
    const pool = connect(address);
    const bad = new RecordingSink(() => {
      throw new Error('sink');
    });
    await pool.call(request('', '/bad'), bad);
    await aborted.opened;
    const good = new RecordingSink();
    await pool.call(request('good'), good);
    await good.over;
    expect(good.text).toBe('good');
    expect(bad.chunks).toHaveLength(1);
  });
});

async function* slowChunks(signal: AbortSignal): AsyncGenerator<Buffer> {
  while (!signal.aborted) {
    yield Buffer.from('chunk');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('request bodies', () => {
  test('of any size arrive complete, and a large body does not delay a small one', async () => {
    const order: string[] = [];
    const { address } = await serve(async (context, call) => {
      order.push(call.path);
      return echo(context, call);
    });
    const pool = connect(address);
    await until(() => pool.up);
    const large = Buffer.alloc(24 * MIB, 'large ');
    const sinks = [large, Buffer.from('small'), Buffer.alloc(LINK_SLICE_BYTES), Buffer.alloc(0)].map(
      (body, index) => {
        const sink = new RecordingSink(
          (bytes) => void calls[index]?.then((call) => call.consumed(bytes.length)),
        );
        return { body, sink, path: `/${index}` };
      },
    );
    const calls = sinks.map(({ body, sink, path }) => pool.call(request(body, path), sink));
    await Promise.all(sinks.map(({ sink }) => sink.over));
    for (const { body, sink } of sinks) expect(Buffer.concat(sink.chunks).equals(body)).toBe(true);
    expect(order.at(-1)).toBe('/0');
  });

  test('that are incomplete never reach the handler', async () => {
    const handled: string[] = [];
    const { address, links } = await serve(async (context, call) => {
      handled.push(call.path);
      return echo(context, call);
    });
    const pool = connect(address);
    await until(() => pool.up);
    const broken = await pool.call(request(Buffer.alloc(24 * MIB), '/broken'), new RecordingSink());
    await until(() => links.callsInFlight === 1);
    broken.cancel();
    const sink = new RecordingSink();
    await pool.call(request('next', '/next'), sink);
    await sink.over;
    await until(() => links.callsInFlight === 0);
    expect(handled).toEqual(['/next']);
  });
});

describe('the memory budget for bodies', () => {
  test('is reserved until a call has ended; a call that exceeds it is refused without reading its body', async () => {
    const { open, opened } = gate();
    const refused: LinkCall[] = [];
    const bodies = memoryQuota(10 * MIB, MIB);
    const hold: LinkHandler = async (context, call) => {
      if (call.path === '/held') await opened;
      return { ...(await echo(context, call)), body: Buffer.alloc(0) };
    };
    const refuse: LinkHandler = (_context, call) => {
      refused.push(call);
      return Promise.reject(new GatewayError('rate_limited', { retryAfterSeconds: 1 }));
    };
    const { address } = await serve(hold, 0, { quota: bodies, refuse });
    const pool = connect(address);
    await until(() => pool.up);
    const held = new RecordingSink();
    const large = Buffer.alloc(4 * MIB);
    await pool.call(request(large, '/held'), held);
    await until(() => bodies.used === large.length);

    const next = new RecordingSink();
    await pool.call(request(large, '/next'), next);
    await next.over;
    expect(next.error).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 });
    expect(refused).toMatchObject([{ path: '/next', key: { keyId: 'key-1' } }]);
    expect(refused[0]?.body).toHaveLength(0);
    const small = new RecordingSink();
    await pool.call(request('small', '/small'), small);
    await small.over;
    expect(small.status).toBe(200);

    open();
    await held.over;
    await until(() => bodies.used === 0);
    const again = new RecordingSink();
    await pool.call(request(large, '/again'), again);
    await again.over;
    expect([held.status, again.status]).toEqual([200, 200]);
  });

  test('is released when a call fails or is cancelled', async () => {
    const bodies = memoryQuota(10 * MIB, MIB);
    const { open, opened } = gate();
    const handler: LinkHandler = async () => {
      await opened;
      throw new GatewayError('internal_error');
    };
    const { address, links } = await serve(handler, 0, { quota: bodies, refuse: handler });
    const pool = connect(address);
    await until(() => pool.up);
    const failed = new RecordingSink();
    await pool.call(request(Buffer.alloc(MIB), '/failed'), failed);
    const broken = await pool.call(request(Buffer.alloc(2 * MIB), '/broken'), new RecordingSink());
    await until(() => bodies.used === 3 * MIB);
    broken.cancel();
    open();
    await failed.over;
    await until(() => bodies.used === 0 && links.callsInFlight === 0);
  });
});

describe('reply credit', () => {
  test('pauses a reply that is not read, and resumes it', async () => {
    const reply = Buffer.alloc(3 * MIB, 'reply ');
    const { address } = await serve(async () => ({ status: 200, headers: {}, body: reply }));
    const pool = connect(address);
    const sink = new RecordingSink();
    const call = await pool.call(request(), sink);
    await until(() => sink.bytes >= LINK_REPLY_WINDOW_BYTES);
    // After a round trip of another call, everything that was in transit has arrived.
    const other = new RecordingSink((bytes) => otherCall.consumed(bytes.length));
    const otherCall = await pool.call(request(), other);
    await other.over;
    expect(sink.bytes).toBeLessThanOrEqual(LINK_REPLY_WINDOW_BYTES + LINK_SLICE_BYTES);
    let consumed = 0;
    await until(() => {
      call.consumed(sink.bytes - consumed);
      consumed = sink.bytes;
      return sink.ended;
    });
    expect(Buffer.concat(sink.chunks).equals(reply)).toBe(true);
  });

  test('applies to streamed replies, and a huge chunk is split', async () => {
    const chunk = Buffer.alloc(20 * MIB, 'chunk ');
    const { address } = await serve(async () => ({
      status: 200,
      headers: {},
      body: (async function* () {
        yield chunk;
        yield Buffer.from('end');
      })(),
    }));
    const sink = new RecordingSink((bytes) => call.consumed(bytes.length));
    const call = await connect(address).call(request(), sink);
    await sink.over;
    expect(sink.bytes).toBe(chunk.length + 3);
  });
});

describe('cancelling a call', () => {
  test('aborts the handler, ends a reply that waits for credit, and stops events to the sink', async () => {
    const seen: AbortSignal[] = [];
    const { address, links } = await serve(async ({ signal }) => {
      seen.push(signal);
      return { status: 200, headers: {}, body: Buffer.alloc(MIB) };
    });
    const sink = new RecordingSink();
    const call = await connect(address).call(request(), sink);
    await until(() => sink.bytes >= LINK_REPLY_WINDOW_BYTES);
    const { bytes } = sink;
    call.cancel();
    call.cancel();
    call.consumed(bytes);
    await until(() => links.callsInFlight === 0);
    expect(seen[0]?.aborted).toBe(true);
    expect(sink).toMatchObject({ bytes, ended: false, error: undefined });
  });
});

describe('a lost link', () => {
  test('fails its calls, aborts their handlers, and is reopened', async () => {
    const aborted = gate();
    const first = await serve(async ({ signal }) => {
      signal.addEventListener('abort', aborted.open);
      return { status: 200, headers: {}, body: slowChunks(signal) };
    });
    const pool = connect(first.address);
    const sink = new RecordingSink((bytes) => call.consumed(bytes.length));
    const call = await pool.call(request(), sink);
    await until(() => sink.bytes > 0);
    await first.server.stop(0);
    await sink.over;
    await aborted.opened;
    expect(sink.error?.code).toBe('internal_error');
    expect(pool.up).toBe(false);

    await serve(echo, first.server.port);
    await until(() => pool.up);
    const next = new RecordingSink();
    await pool.call(request('again'), next);
    await next.over;
    expect(next.text).toBe('again');
  });

  test('makes a new call wait briefly for another link and then fail', async () => {
    const stopped = await startTestServer(echo);
    await stopped.server.stop(0);
    const sink = new RecordingSink();
    const call = connect(stopped.address).call(request(), sink);
    await expect(call).rejects.toMatchObject({ code: 'internal_error' });
  });
});

describe('a pool of several instances', () => {
  test('sends each call to the least busy instance', async () => {
    const hold = gate();
    const counts = [0, 0];
    const holding = (index: number): LinkHandler => {
      return async (context, call) => {
        counts[index]! += 1;
        await hold.opened;
        return echo(context, call);
      };
    };
    const [first, second] = await Promise.all([serve(holding(0)), serve(holding(1))]);
    const pool = connect(first.address, second.address);
    const sinks = Array.from({ length: 10 }, () => new RecordingSink());
    await until(() => pool.usableLinks === 2);
    for (const sink of sinks) await pool.call(request(), sink);
    hold.open();
    await Promise.all(sinks.map((sink) => sink.over));
    expect(counts).toEqual([5, 5]);
  });

  test('spreads new calls evenly although one instance is sending long replies', async () => {
    const hold = gate();
    const counts = [0, 0];
    const streaming = (index: number): LinkHandler => {
      return async () => {
        counts[index]! += 1;
        const body = (async function* () {
          yield Buffer.from('begun');
          await hold.opened;
        })();
        return { status: 200, headers: {}, body };
      };
    };
    const [first, second] = await Promise.all([serve(streaming(0)), serve(streaming(1))]);
    const { pool, add, close } = connectChangingPool();
    cleanUps.push(close);
    const call = async () => {
      const sink = new RecordingSink();
      await pool.call(request(), sink);
      await until(() => sink.bytes > 0);
      return sink;
    };
    add(first.address);
    const sinks = await Promise.all(Array.from({ length: 10 }, call));
    add(second.address);
    await until(() => pool.usableLinks === 2);
    for (let at = 0; at < 10; at++) sinks.push(await call());
    expect(counts).toEqual([15, 5]);
    hold.open();
    await Promise.all(sinks.map((sink) => sink.over));
  });

  test('sends no new calls to a draining instance, which finishes its calls in flight', async () => {
    const hold = gate();
    const first = await serve(async (context, call) => {
      await hold.opened;
      return echo(context, call);
    });
    const pool = connect(first.address);
    const last = new RecordingSink();
    await pool.call(request('last'), last);
    await until(() => first.links.callsInFlight === 1);
    let drained = false;
    const draining = first.links.drain().then(() => {
      drained = true;
    });
    await until(() => !pool.up);
    expect(drained).toBe(false);

    hold.open();
    await last.over;
    expect(last.text).toBe('last');
    await draining;
    await first.server.stop(0);
    await serve(echo, first.server.port);
    const next = new RecordingSink();
    await until(() => pool.up);
    await pool.call(request('next'), next);
    await next.over;
    expect(next.text).toBe('next');
  });

  test('sends no new calls to an instance that is no longer listed, which finishes its call in flight before its link ends', async () => {
    const hold = gate();
    const gone = await serve(async (context, call) => {
      await hold.opened;
      return echo(context, call);
    });
    const other = await serve(echo);
    const { pool, add, remove, close } = connectChangingPool();
    cleanUps.push(close);
    add(gone.address);
    const last = new RecordingSink();
    await pool.call(request('last'), last);
    add(other.address);
    await until(() => pool.usableLinks === 2);
    remove(gone.address);
    expect(pool.usableLinks).toBe(1);
    const sinks = Array.from({ length: 4 }, () => new RecordingSink());
    for (const sink of sinks) await pool.call(request('next'), sink);
    await Promise.all(sinks.map((sink) => sink.over));
    // Longer than the interval of keepalives, which a closed channel does not survive.
    await sleep(1_500);
    expect(gone.links.callsInFlight).toBe(1);
    hold.open();
    await last.over;
    expect(last.text).toBe('last');
    // Resolves when no caller has a link any more.
    await gone.links.drain();
    expect(pool.usableLinks).toBe(1);
  });

  test('waits in a drain for a call whose caller has disconnected', async () => {
    const hold = gate();
    const { address, links } = await serve(async (context, call) => {
      await hold.opened;
      return echo(context, call);
    });
    const { pool, close } = connectPool([address]);
    await pool.call(request(), new RecordingSink());
    await until(() => links.callsInFlight === 1);
    close();
    let drained = false;
    const draining = links.drain().then(() => {
      drained = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(drained).toBe(false);
    hold.open();
    await draining;
  });
});
