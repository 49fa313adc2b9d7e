import {
  type Credentials,
  commaSeparated,
  SettingsError,
  type TlsFiles,
  tlsFileProblems,
  unreadableFiles,
  z,
} from '@gateway/process';

const SASL_MECHANISMS = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;

/** Settings of the connection to Kafka, the same for producers and consumers. */
export const kafkaSettings = {
  /** Absent: usage events go to billing over gRPC. */
  KAFKA_BROKERS: commaSeparated().optional(),
  /** So that several gateways can share a cluster. */
  KAFKA_TOPIC_PREFIX: z.string().default(''),
  KAFKA_TLS: z.enum(['on', 'off']).default('off'),
  /** PEM of the authority that signed the brokers' certificates. Absent: the authorities that Node trusts. */
  KAFKA_CA_FILE: z.string().optional(),
  /** PEM of the client's certificate and key, for brokers that require one. */
  KAFKA_CERTIFICATE_FILE: z.string().optional(),
  KAFKA_KEY_FILE: z.string().optional(),
  /** Absent: no login. */
  KAFKA_SASL_MECHANISM: z.string().toUpperCase().pipe(z.enum(SASL_MECHANISMS)).optional(),
  KAFKA_USERNAME: z.string().optional(),
  KAFKA_PASSWORD: z.string().optional(),
  /** File whose first line is the password. */
  KAFKA_PASSWORD_FILE: z.string().optional(),
};

type Settings = z.output<z.ZodObject<typeof kafkaSettings>>;

export interface KafkaConnection {
  readonly brokers: readonly string[];
  readonly topicPrefix: string;
  /** Absent: not encrypted. */
  readonly tls?: TlsFiles;
  readonly sasl?: Credentials & {
    readonly mechanism: (typeof SASL_MECHANISMS)[number];
    readonly username: string;
  };
}

/**
 * Returns the connection for a cell, which has topics and consumer groups of its own.
 * @param name empty: the home cell
 * @param brokers of a cell that does not share home's
 */
export function connectionOfCell(
  connection: KafkaConnection,
  name: string,
  brokers: readonly string[] = connection.brokers,
): KafkaConnection {
  if (name === '') return connection;
  return { ...connection, brokers, topicPrefix: `${connection.topicPrefix}${name}.` };
}

/**
 * Returns the connection that the settings describe; undefined without brokers.
 * @throws SettingsError if they contradict each other, or name a file that can't be read
 */
export function kafkaConnection(settings: Settings): KafkaConnection | undefined {
  const { KAFKA_BROKERS: brokers, KAFKA_TOPIC_PREFIX: topicPrefix } = settings;
  if (!brokers) return undefined;
  const tls = {
    ca: settings.KAFKA_CA_FILE,
    certificate: settings.KAFKA_CERTIFICATE_FILE,
    key: settings.KAFKA_KEY_FILE,
  };
  const isEncrypted = settings.KAFKA_TLS === 'on';
  const problems = [
    ...tlsFileProblems('KAFKA', tls, isEncrypted ? undefined : 'KAFKA_TLS: must be on'),
    ...saslProblems(settings),
  ];
  if (problems.length > 0) throw new SettingsError(problems);
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_USERNAME: username } = settings;
  return {
    brokers,
    topicPrefix,
    ...(isEncrypted && { tls }),
    ...(mechanism &&
      username && {
        sasl: {
          mechanism,
          username,
          password: settings.KAFKA_PASSWORD,
          passwordFile: settings.KAFKA_PASSWORD_FILE,
        },
      }),
  };
}

function saslProblems(settings: Settings): string[] {
  const { KAFKA_SASL_MECHANISM, KAFKA_USERNAME, KAFKA_PASSWORD, KAFKA_PASSWORD_FILE } = settings;
  const passwords = [KAFKA_PASSWORD, KAFKA_PASSWORD_FILE].filter((one) => one !== undefined);
  const problems = unreadableFiles({ KAFKA_PASSWORD_FILE });
  if (!KAFKA_SASL_MECHANISM) {
    if (KAFKA_USERNAME !== undefined || passwords.length > 0)
      problems.push('KAFKA_SASL_MECHANISM: required for a username or password');
    return problems;
  }
  if (KAFKA_USERNAME === undefined) problems.push('KAFKA_USERNAME: required by KAFKA_SASL_MECHANISM');
  if (passwords.length !== 1)
    problems.push('KAFKA_PASSWORD, KAFKA_PASSWORD_FILE: KAFKA_SASL_MECHANISM requires one of them');
  return problems;
}
