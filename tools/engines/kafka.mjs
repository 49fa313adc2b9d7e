import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './commands.mjs';
import { downloadKafkaJars, findJava, missingPackages } from './kafka-jars.mjs';
import { hasReadyBroker } from './kafka-probe.mjs';
import { freePorts } from './processes.mjs';

/** Settings of every broker. */
export const BROKER = {
  'auto.create.topics.enable': false,
  'offsets.topic.num.partitions': 4,
  'transaction.state.log.replication.factor': 1,
  'transaction.state.log.min.isr': 1,
  'share.coordinator.state.topic.replication.factor': 1,
  'share.coordinator.state.topic.min.isr': 1,
  'min.insync.replicas': 1,
  'group.initial.rebalance.delay.ms': 0,
  'log.cleaner.threads': 1,
  'log.cleaner.dedupe.buffer.size': 8 << 20,
  'num.network.threads': 2,
  'num.io.threads': 4,
};

/** A single node that is broker and controller (KRaft). */
export const kafka = {
  name: 'kafka',
  variable: 'KAFKA_BROKERS',
  readyTimeoutMs: 60_000,
  stopSteps: [
    ['SIGTERM', 15_000],
    ['SIGKILL', 2_000],
  ],
  missingPackages,
  address: ({ port }) => `127.0.0.1:${port}`,
  isReady: ({ port }) => hasReadyBroker(port),

  async prepare({ dir, logFile }) {
    const jars = await downloadKafkaJars(logFile);
    const [port, controllerPort] = await freePorts(2);
    const config = join(dir, 'server.properties');
    const data = join(dir, 'data');
    rmSync(data, { recursive: true, force: true });
    mkdirSync(data, { recursive: true, mode: 0o700 });
    writeFileSync(config, propertiesText(properties({ port, controllerPort, data })));
    await formatStorage({ jars, config, clusterId: newClusterId(), logFile });
    return { port, config, jars };
  },

  launch({ config, jars }) {
    return { command: findJava(), args: [...javaArgs(jars, 512), 'kafka.Kafka', config] };
  },
};

export const newClusterId = () => randomBytes(16).toString('base64url');

export const propertiesText = (settings) =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

/** @param users arguments of `--add-scram` */
export async function formatStorage({ jars, config, clusterId, users = [], logFile }) {
  // In one argument with its option: one id in 64 starts with a hyphen and would be parsed as an option.
  const format = ['format', `--cluster-id=${clusterId}`, '--config', config];
  const scram = users.flatMap((user) => ['--add-scram', user]);
  const tool = [...javaArgs(jars, 256), 'kafka.tools.StorageTool', ...format, ...scram];
  await run(findJava(), tool, { logFile });
}

export function javaArgs(jars, heapMb) {
  const memory = ['-Xms64m', `-Xmx${heapMb}m`, '-XX:+UseSerialGC'];
  const logging = [
    '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
    '-Dorg.slf4j.simpleLogger.showDateTime=true',
  ];
  return [...memory, ...logging, '-Djava.awt.headless=true', '-cp', join(jars, '*')];
}

function properties({ port, controllerPort, data }) {
  return {
    ...BROKER,
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'PLAINTEXT',
    'log.dirs': data,
    'offsets.topic.replication.factor': 1,
    // Short, because after a kill the broker can rejoin only when its previous session has expired.
    'broker.session.timeout.ms': 2000,
    'broker.heartbeat.interval.ms': 500,
  };
}
