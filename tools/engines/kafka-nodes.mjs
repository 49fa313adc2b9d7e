import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BROKER, formatStorage, javaArgs, newClusterId, propertiesText } from './kafka.mjs';
import { downloadKafkaJars, findJava } from './kafka-jars.mjs';

const HEAP_MB = 256;

/** A broker that accepts clients only with TLS, a client certificate, a login, and the permission. The administrator uses `adminPort`. */
export async function secureKafkaNode({ dir, name, ports, files, passwords, logFile }) {
  const [port, adminPort, controllerPort] = ports;
  const folder = join(dir, name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const keystore = join(folder, 'server.pem');
  writeFileSync(keystore, readFileSync(files.server.key) + readFileSync(files.server.certificate), {
    mode: 0o600,
  });
  const plain = 'org.apache.kafka.common.security.plain.PlainLoginModule required';
  const scram = 'org.apache.kafka.common.security.scram.ScramLoginModule required;';
  const listener = 'listener.name.clients';
  return kafkaNode({
    ...{ folder, name, id: 1, port: adminPort, logFile, clusterId: newClusterId() },
    voters: `1@127.0.0.1:${controllerPort}`,
    users: [
      `SCRAM-SHA-256=[name=media,password=${passwords.media}]`,
      `SCRAM-SHA-512=[name=billing,password=${passwords.billing}]`,
    ],
    settings: {
      listeners: `ADMIN://127.0.0.1:${adminPort},CLIENTS://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
      'advertised.listeners': `ADMIN://127.0.0.1:${adminPort},CLIENTS://127.0.0.1:${port}`,
      'listener.security.protocol.map': 'ADMIN:PLAINTEXT,CLIENTS:SASL_SSL,CONTROLLER:PLAINTEXT',
      'inter.broker.listener.name': 'ADMIN',
      'offsets.topic.replication.factor': 1,
      'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
      'super.users': 'User:ANONYMOUS',
      [`${listener}.ssl.client.auth`]: 'required',
      [`${listener}.ssl.keystore.type`]: 'PEM',
      [`${listener}.ssl.keystore.location`]: keystore,
      [`${listener}.ssl.truststore.type`]: 'PEM',
      [`${listener}.ssl.truststore.location`]: files.ca,
      [`${listener}.sasl.enabled.mechanisms`]: 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
      [`${listener}.plain.sasl.jaas.config`]: `${plain} user_chat="${passwords.chat}";`,
      [`${listener}.scram-sha-256.sasl.jaas.config`]: scram,
      [`${listener}.scram-sha-512.sasl.jaas.config`]: scram,
    },
  });
}

/** Three brokers that are controllers as well, and replicate their own topics three times. */
export async function kafkaCluster({ dir, host, ports, logFile }) {
  const clusterId = newClusterId();
  const ids = [1, 2, 3];
  const portsOf = (id) => ({ port: ports[2 * id - 2], controllerPort: ports[2 * id - 1] });
  const voters = ids.map((id) => `${id}@${host}:${portsOf(id).controllerPort}`).join(',');
  return Promise.all(
    ids.map((id) => {
      const { port, controllerPort } = portsOf(id);
      const folder = join(dir, `kafka-${id}`);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return kafkaNode({
        ...{ folder, name: `kafka-${id}`, id, host, port, voters, clusterId, logFile },
        settings: {
          listeners: `PLAINTEXT://${host}:${port},CONTROLLER://${host}:${controllerPort}`,
          'advertised.listeners': `PLAINTEXT://${host}:${port}`,
          'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
          'inter.broker.listener.name': 'PLAINTEXT',
          'offsets.topic.replication.factor': 3,
          // As docs/operations/deployment.md recommends.
          'broker.session.timeout.ms': 6000,
          'broker.heartbeat.interval.ms': 1500,
        },
      });
    }),
  );
}

async function kafkaNode({ folder, name, id, host, port, voters, clusterId, users, settings, logFile }) {
  const jars = await downloadKafkaJars(logFile);
  const config = join(folder, 'server.properties');
  const all = {
    ...BROKER,
    'process.roles': 'broker,controller',
    'node.id': id,
    'controller.quorum.voters': voters,
    'controller.listener.names': 'CONTROLLER',
    'log.dirs': join(folder, 'data'),
    ...settings,
  };
  writeFileSync(config, propertiesText(all), { mode: 0o600 });
  await formatStorage({ jars, config, clusterId, users, logFile });
  return {
    name,
    kind: 'kafka',
    host,
    port,
    command: findJava(),
    args: [...javaArgs(jars, HEAP_MB), 'kafka.Kafka', config],
  };
}
