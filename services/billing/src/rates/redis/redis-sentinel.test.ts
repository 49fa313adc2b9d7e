import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '@gateway/process';
import { until } from '@gateway/testing';
import { afterEach, expect, test } from '@jest/globals';
import { RedisSentinel } from './redis-sentinel';

const log = createLogger('redis-sentinel-test', 'silent');
const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const bulk = (text: string) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;

/** Starts a server that speaks as much of Redis's protocol as billing needs. @param answer the raw reply to a command */
async function startServer(answer: (command: string[]) => string) {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    let rest = '';
    socket.on('data', (data) => {
      rest += data;
      for (let read = readCommand(rest); read; read = readCommand(rest)) {
        rest = read.rest;
        socket.write(answer(read.command));
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  cleanUps.push(stop);
  return { address: { host: '127.0.0.1', port: (server.address() as AddressInfo).port }, stop };
}

function readCommand(text: string): { command: string[]; rest: string } | undefined {
  const lines = text.split('\r\n');
  const count = Number(/^\*(\d+)$/.exec(lines[0] ?? '')?.[1]);
  if (Number.isNaN(count) || lines.length < 2 * count + 2) return undefined;
  const command = Array.from({ length: count }, (_, at) => lines[2 * at + 2] ?? '');
  return { command, rest: lines.slice(2 * count + 1).join('\r\n') };
}

const startRedis = (runId: string) =>
  startServer(([name, section]) => {
    if (name === 'INFO')
      return bulk(section === 'server' ? `run_id:${runId}\r\n` : 'master_replid:0123456789\r\n');
    return name === 'EVAL' ? ':1\r\n' : '+OK\r\n';
  });

/** `epoch` is undefined: the Sentinel knows no primary. */
type Named = { port: number; epoch: number | undefined };

const startSentinel = (named: () => Named) =>
  startServer(([name]) => {
    if (name !== 'SENTINEL') return '+OK\r\n';
    const { port, epoch } = named();
    if (epoch === undefined) return '-ERR No such master with that name\r\n';
    const fields = ['ip', '127.0.0.1', 'port', `${port}`, 'config-epoch', `${epoch}`];
    return `*${fields.length}\r\n${fields.map(bulk).join('')}`;
  });

async function connect(named: Named[]): Promise<RedisSentinel> {
  const sentinels = await Promise.all(named.map((_, at) => startSentinel(() => named[at]!)));
  const connection = await RedisSentinel.start({
    sentinels: sentinels.map(({ address }) => address),
    master: 'mymaster',
    sentinelCredentials: {},
    credentials: {},
    log,
  });
  cleanUps.push(() => connection.stop());
  return connection;
}

const runIdOf = (connection: RedisSentinel) => connection.serverOf()?.runId?.split('-')[0];

/** Longer than the time after which lower epochs count. */
const LONGER_MS = 7_000;

test.each([
  ['is gone', true],
  ['still answers, such as a replica', false],
])(
  'follows Sentinels that were created again, whose epochs start from 0 again, when the primary %s',
  async (_, stops) => {
    const [first, second] = [await startRedis('first'), await startRedis('second')];
    const named: Named[] = [1, 2, 3].map(() => ({ port: first.address.port, epoch: 5 }));
    const connection = await connect(named);
    await until(() => runIdOf(connection) === 'first');
    for (const one of named) Object.assign(one, { port: second.address.port, epoch: 0 });
    if (stops) first.stop();
    await until(() => runIdOf(connection) === 'second');
  },
);

test('does not return to the former primary for a minority of Sentinels, or while one knows of a later failover', async () => {
  const [former, current] = [await startRedis('former'), await startRedis('current')];
  const stays = async (change: (named: Named[]) => void) => {
    const named: Named[] = [1, 2, 3].map(() => ({ port: current.address.port, epoch: 5 }));
    const connection = await connect(named);
    await until(() => runIdOf(connection) === 'current');
    change(named);
    await sleep(LONGER_MS);
    expect(runIdOf(connection)).toBe('current');
  };
  const outdated: Named = { port: former.address.port, epoch: 4 };
  await Promise.all([
    stays((named) =>
      named.splice(0, 3, outdated, { port: 0, epoch: undefined }, { port: 0, epoch: undefined }),
    ),
    stays((named) => named.splice(1, 2, outdated, outdated)),
  ]);
});
