#!/usr/bin/env node
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { certificates } from './engines/certificates.mjs';
import { installPackages } from './engines/debian-packages.mjs';
import { missingPackages as missingKafkaPackages } from './engines/kafka-jars.mjs';
import { kafkaCluster, secureKafkaNode } from './engines/kafka-nodes.mjs';
import { hasReadyBroker } from './engines/kafka-probe.mjs';
import { freePorts, isRunning, launchDetached, stopProcess, waitUntil } from './engines/processes.mjs';
import {
  answersPing,
  awaitReplica,
  awaitSentinels,
  formCluster,
  missingPackages as missingRedisPackages,
  redisNode,
  sentinelNode,
} from './engines/redis-nodes.mjs';
import { engineState } from './engines/state.mjs';

const USAGE = `Runs Redis and Kafka as operators do, for tests: with TLS and logins, or as several nodes.
  engine-set.mjs up SET --dir DIR [--host HOST] install and start a set; prints how to reach it as JSON
  engine-set.mjs kill|start NODE --dir DIR      kill -9; start again with the same port and data
  engine-set.mjs freeze|resume NODE --dir DIR   SIGSTOP, SIGCONT
  engine-set.mjs down --dir DIR                 stop all and delete their data
SET is secure (Kafka with TLS, logins and ACLs; Redis with TLS and ACLs), redis-sentinel, redis-cluster or kafka-cluster.
HOST is the address of this machine that clients use: 127.0.0.1 by default, another one for redis-sentinel and kafka-cluster only.
`;
const READY_TIMEOUT_MS = 90_000;
const STOP_STEPS = [
  ['SIGTERM', 10_000],
  ['SIGKILL', 2_000],
];

/** Per set: the packages that it lacks, and a function that starts it and returns how to reach it. */
const SETS = {
  secure: {
    missingPackages: () => [...missingKafkaPackages(), ...missingRedisPackages()],
    async up({ dir, host, logFile, files, start }) {
      const passwords = newPasswords('billing', 'chat', 'media', 'admin');
      const [redisPort, ...kafkaPorts] = await freePorts(4);
      const redis = redisNode({ dir, name: 'redis', host, port: redisPort, files, passwords });
      const kafka = await secureKafkaNode({
        dir,
        name: 'kafka',
        ports: kafkaPorts,
        files,
        passwords,
        logFile,
      });
      await start([redis, kafka]);
      const [kafkaPort, kafkaAdminPort] = kafkaPorts;
      return { passwords, redisPort, kafkaPort, kafkaAdminPort };
    },
  },
  'redis-sentinel': {
    missingPackages: missingRedisPackages,
    async up({ dir, host, files, start }) {
      const passwords = newPasswords('billing', 'sentinel', 'admin');
      const [primaryPort, replicaPort, ...sentinelPorts] = await freePorts(5);
      const shared = { dir, host, files, passwords };
      const primary = redisNode({ ...shared, name: 'redis-1', port: primaryPort });
      const replicaof = `${host} ${primaryPort}`;
      const replica = redisNode({ ...shared, name: 'redis-2', port: replicaPort, settings: { replicaof } });
      const sentinels = sentinelPorts.map((port, i) =>
        sentinelNode({ ...shared, name: `sentinel-${i + 1}`, port, primaryPort }),
      );
      await start([primary, replica]);
      await awaitReplica(primary, files, passwords);
      await start(sentinels);
      await awaitSentinels(sentinels, files, passwords);
      return { passwords, ports: [primaryPort, replicaPort], sentinelPorts };
    },
  },
  'redis-cluster': {
    missingPackages: missingRedisPackages,
    async up({ dir, host, files, start }) {
      const passwords = newPasswords('billing', 'admin');
      const ports = await freePorts(12);
      const nodes = ports.slice(0, 6).map((port, i) => {
        const busPort = ports[6 + i];
        const settings = {
          'cluster-enabled': 'yes',
          'cluster-port': busPort,
          'cluster-node-timeout': 2_000,
          'cluster-require-full-coverage': 'no',
        };
        return {
          ...redisNode({ dir, host, files, passwords, name: `redis-${i + 1}`, port, settings }),
          busPort,
        };
      });
      await start(nodes);
      await formCluster(nodes, files, passwords);
      return { passwords, ports: nodes.map(({ port }) => port) };
    },
  },
  'kafka-cluster': {
    missingPackages: missingKafkaPackages,
    async up({ dir, host, logFile, start }) {
      const nodes = await kafkaCluster({ dir, host, ports: await freePorts(6), logFile });
      await start(nodes);
      return { ports: nodes.map(({ port }) => port) };
    },
  },
};

const newPasswords = (...users) =>
  Object.fromEntries(users.map((user) => [user, randomBytes(18).toString('base64url')]));

async function up(dir, set, host) {
  const logFile = join(dir, 'install.log');
  await installPackages([...certificates.missingPackages(), ...set.missingPackages()], logFile);
  const files = await certificates.create(join(dir, 'certificates'), logFile, host);
  const start = async (nodes) => {
    for (const node of nodes) engineState(dir, node.name).write({ ...node, files });
    await Promise.all(nodes.map((node) => startNode(dir, node.name)));
  };
  console.log(JSON.stringify({ files, ...(await set.up({ dir, host, logFile, files, start })) }));
}

async function startNode(dir, name) {
  const state = engineState(dir, name);
  const record = state.read();
  if (!record) throw new Error(`no node ${name}`);
  const started = { ...record, ...(await launchDetached({ ...record, logFile: state.logFile })) };
  state.write(started);
  const isReady = () =>
    record.kind === 'kafka'
      ? hasReadyBroker(record.port, record.host)
      : answersPing(record.port, record.files);
  let ready = false;
  await waitUntil(async () => {
    ready = await isReady();
    return ready || !isRunning(started);
  }, READY_TIMEOUT_MS);
  if (!ready) throw new Error(`${name} did not start; end of ${state.logFile}:\n${state.logTail()}`);
}

async function down(dir) {
  const nodes = readdirSync(dir, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  await Promise.all(
    nodes.map(async ({ name }) => {
      const record = engineState(dir, name).read();
      if (!record || !isRunning(record)) return;
      // It may be frozen.
      process.kill(record.pid, 'SIGCONT');
      await stopProcess(record, STOP_STEPS);
    }),
  );
  rmSync(dir, { recursive: true, force: true });
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { dir: { type: 'string' }, host: { type: 'string', default: '127.0.0.1' } },
  });
  const [command, name = ''] = positionals;
  if (!values.dir || !['up', 'kill', 'start', 'freeze', 'resume', 'down'].includes(command))
    throw new Error(USAGE);
  if (command === 'up' && !SETS[name]) throw new Error(USAGE);
  mkdirSync(values.dir, { recursive: true, mode: 0o755 });
  const dir = realpathSync(values.dir);
  if (command === 'up') return up(dir, SETS[name], values.host);
  if (command === 'down') return down(dir);
  if (command === 'start') return startNode(dir, name);
  const record = engineState(dir, name).read();
  if (!record) throw new Error(`no node ${name}`);
  if (command === 'kill') return stopProcess(record, [['SIGKILL', 5_000]]);
  process.kill(record.pid, command === 'freeze' ? 'SIGSTOP' : 'SIGCONT');
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
