import { readPassword, readTlsFiles } from '@gateway/process';
import type { Kafka, KafkaConfig, SASLOptions } from 'kafkajs';
import type { KafkaConnection } from './kafka-settings';

/**
 * Returns a client with the certificates and the password that the files contain now. kafkajs is imported on first use,
 * which saves load time and memory in a gateway without Kafka.
 * @throws if a file can't be read
 */
export async function createKafka(
  connection: KafkaConnection,
  options: Omit<KafkaConfig, 'brokers' | 'ssl' | 'sasl'>,
): Promise<Kafka> {
  const { brokers, tls } = connection;
  const kafkajs = await import('kafkajs');
  const sasl = saslOptions(connection);
  return new kafkajs.Kafka({
    brokers: [...brokers],
    ...options,
    ...(tls && { ssl: readTlsFiles(tls) }),
    ...(sasl && { sasl }),
  });
}

function saslOptions({ sasl }: KafkaConnection): SASLOptions | undefined {
  if (!sasl) return undefined;
  const login = { username: sasl.username, password: readPassword(sasl) ?? '' };
  switch (sasl.mechanism) {
    case 'PLAIN':
      return { mechanism: 'plain', ...login };
    case 'SCRAM-SHA-256':
      return { mechanism: 'scram-sha-256', ...login };
    case 'SCRAM-SHA-512':
      return { mechanism: 'scram-sha-512', ...login };
  }
}
