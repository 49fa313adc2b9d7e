import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { findCommand, run } from './commands.mjs';
import { waitUntil } from './processes.mjs';

/** The rule of docs/operations/deployment.md. */
const RATES = '+ping +info +eval +evalsha +time +get +set +hget +hmget +hset +hdel +del +expire';
const NOTHING = 'resetkeys resetchannels -@all';

export const missingPackages = () => (findCommand('redis-server') ? [] : ['redis-server']);

/** A server that accepts only TLS with a client certificate, and the users `billing` and `admin`. */
export function redisNode({ dir, name, host, port, files, passwords, settings = {} }) {
  const data = join(dir, name);
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const users = join(data, 'users.acl');
  const cluster = settings['cluster-enabled'] === 'yes' ? ' +cluster|info +cluster|slots' : '';
  const rule = `user billing on >${passwords.billing} ${NOTHING} ~rates2:* ${RATES}${cluster}`;
  writeFileSync(users, `user default off\n${rule}\nuser admin on >${passwords.admin} ~* &* +@all\n`, {
    mode: 0o600,
  });
  const all = {
    ...tlsSettings(host, port, files),
    dir: data,
    aclfile: users,
    save: '',
    appendonly: 'no',
    masteruser: 'admin',
    masterauth: passwords.admin,
    'repl-diskless-sync-delay': 0,
    ...settings,
  };
  return node({ name, port, data, settings: all, args: [] });
}

/** A Sentinel that monitors `rates` and fails over within some two seconds. */
export function sentinelNode({ dir, name, host, port, primaryPort, files, passwords }) {
  const data = join(dir, name);
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const lines = [
    'user default off',
    `user billing on >${passwords.sentinel} ${NOTHING} +ping +sentinel|master`,
    `user admin on >${passwords.admin} allchannels +@all`,
    'sentinel sentinel-user admin',
    `sentinel sentinel-pass ${passwords.admin}`,
    `sentinel monitor rates ${host} ${primaryPort} 2`,
    'sentinel auth-user rates admin',
    `sentinel auth-pass rates ${passwords.admin}`,
    'sentinel down-after-milliseconds rates 1500',
    'sentinel failover-timeout rates 5000',
  ];
  return node({
    name,
    port,
    data,
    settings: { ...tlsSettings(host, port, files), dir: data },
    lines,
    args: ['--sentinel'],
  });
}

const tlsSettings = (host, port, { ca, server }) => ({
  bind: [...new Set(['127.0.0.1', host])].join(' '),
  port: 0,
  'tls-port': port,
  'tls-ca-cert-file': ca,
  'tls-cert-file': server.certificate,
  'tls-key-file': server.key,
  'tls-replication': 'yes',
  'tls-cluster': 'yes',
});

function node({ name, port, data, settings, lines = [], args }) {
  const config = join(data, 'redis.conf');
  const configured = Object.entries(settings).map(([key, value]) => `${key} ${value === '' ? '""' : value}`);
  writeFileSync(config, `${[...configured, ...lines].join('\n')}\n`, { mode: 0o600 });
  return { name, kind: 'redis', port, command: findCommand('redis-server'), args: [config, ...args] };
}

/** Whether the server answers, be it that it wants a login first. */
export function answersPing(port, { ca, client }) {
  return new Promise((resolve) => {
    const tls = {
      ca: readFileSync(ca),
      cert: readFileSync(client.certificate),
      key: readFileSync(client.key),
    };
    const socket = connect({ port, host: '127.0.0.1', ...tls });
    const finish = (ok) => {
      socket.destroy();
      resolve(ok);
    };
    socket.setTimeout(1_000, () => finish(false));
    socket.once('secureConnect', () => socket.write('PING\r\n'));
    socket.once('data', (data) => finish(/^(\+PONG|-NOAUTH)/.test(String(data))));
    socket.once('error', () => finish(false));
  });
}

/** Returns a function that sends a command to the server at a port, as the administrator. */
function administer({ ca, client }, password) {
  const tls = ['--tls', '--cacert', ca, '--cert', client.certificate, '--key', client.key];
  const env = { ...process.env, REDISCLI_AUTH: password };
  return async (port, ...command) => {
    const target = ['-h', '127.0.0.1', '-p', String(port), '--user', 'admin'];
    return (await run('redis-cli', [...tls, ...target, ...command], { env })).trim();
  };
}

/** Joins servers to a cluster: the first half shares the slots, each of the others is a replica of one of them. */
export async function formCluster(nodes, files, passwords) {
  const send = administer(files, passwords.admin);
  const primaries = nodes.slice(0, nodes.length / 2);
  const replicas = nodes.slice(nodes.length / 2);
  const slots = 16_384;
  for (const [i, { port }] of primaries.entries()) {
    const from = Math.floor((slots * i) / primaries.length);
    const to = Math.floor((slots * (i + 1)) / primaries.length) - 1;
    await send(port, 'CLUSTER', 'SET-CONFIG-EPOCH', String(i + 1));
    await send(port, 'CLUSTER', 'ADDSLOTSRANGE', String(from), String(to));
  }
  const [first, ...others] = nodes;
  for (const { port, busPort } of others)
    await send(first.port, 'CLUSTER', 'MEET', '127.0.0.1', String(port), String(busPort));
  const knowsAll = async ({ port }) => {
    const known = (await send(port, 'CLUSTER', 'NODES'))
      .split('\n')
      .filter((line) => !line.includes('handshake'));
    return known.length === nodes.length;
  };
  await all(nodes, knowsAll, 'the nodes do not know each other');
  for (const [i, { port }] of replicas.entries())
    await send(port, 'CLUSTER', 'REPLICATE', await send(primaries[i].port, 'CLUSTER', 'MYID'));
  const isOk = async ({ port }) => (await send(port, 'CLUSTER', 'INFO')).includes('cluster_state:ok');
  await all(nodes, isOk, 'the cluster is not complete');
  const isInSync = async ({ port }) =>
    (await send(port, 'INFO', 'replication')).includes('master_link_status:up');
  await all(replicas, isInSync, 'the replicas are not in sync');
}

/** Waits until the server has a replica in sync. */
export async function awaitReplica(node, files, passwords) {
  const send = administer(files, passwords.admin);
  const isInSync = async ({ port }) => (await send(port, 'INFO', 'replication')).includes('state=online');
  await all([node], isInSync, 'the replica is not in sync');
}

/** Waits until each Sentinel knows the others and the replica. */
export async function awaitSentinels(sentinels, files, passwords) {
  const send = administer(files, passwords.admin);
  const isReady = async ({ port }) => {
    const fields = (await send(port, 'SENTINEL', 'MASTER', 'rates')).split('\n');
    const count = (name) => Number(fields[fields.indexOf(name) + 1]);
    return count('num-other-sentinels') === sentinels.length - 1 && count('num-slaves') === 1;
  };
  await all(sentinels, isReady, 'the Sentinels do not know each other');
}

async function all(nodes, condition, problem) {
  for (const one of nodes)
    if (!(await waitUntil(() => condition(one), 30_000, 200))) throw new Error(problem);
}
