import { join } from 'node:path';
import { type Caller, pairSetting, pairsOf } from '@gateway/callers';
import { certificateSettings } from './dev-certificates';
import type { ProviderPlan } from './providers';
import { derivedSecret, type StackSecrets } from './secrets';
import type { DatabaseService } from './service-databases';
import type { StackEngines } from './stack-engines';

/** Where chat keeps its usage journal. */
export type ChatJournal = 'file' | 'postgres';

export type ServiceName =
  | 'edge'
  | 'catalog'
  | 'billing'
  | 'chat'
  | 'media'
  | 'storage'
  | 'dashboard'
  | 'simulator';

/** The parts of the stack from which a service's settings are derived. */
export interface StackContext {
  readonly dataDir: string;
  readonly secrets: StackSecrets;
  /** Folder of the services' certificates; undefined without TLS. */
  readonly certificates: string | undefined;
  readonly engines: Pick<StackEngines, 'redisUrl' | 'redisSettings' | 'kafkaBrokers' | 'kafkaSettings'>;
  /** With the login of that service. */
  databaseUrl(service: DatabaseService): string;
  readonly kafkaTopicPrefix: string;
  readonly chatJournal: ChatJournal;
  /** `host:port` of every instance of a service, comma-separated. */
  addresses(service: ServiceName): string;
  /** Origin of the HTTP server of its first instance. */
  origin(service: ServiceName): string;
  /** Provider settings for each service. */
  readonly providers: ProviderPlan['settings'];
}

export interface ServiceDefinition {
  readonly name: ServiceName;
  /** Dependencies that must be ready before this service starts. */
  readonly after: readonly (ServiceName | 'engines')[];
  /** Others need its gRPC address before it starts, because it needs theirs too. */
  readonly isAddressedEarly?: true;
  /** Ports by the name that the service reports: the setting, and the default port. */
  readonly ports: Readonly<Record<string, { setting: string; defaultPort: number }>>;
  settings(context: StackContext, index: number): Record<string, string>;
}

const admin = { setting: 'ADMIN_PORT', defaultPort: 0 };
const grpc = (defaultPort: number) => ({ setting: 'GRPC_PORT', defaultPort });
const http = (defaultPort: number) => ({ setting: 'HTTP_PORT', defaultPort });
const kafka = ({ engines, kafkaTopicPrefix }: StackContext): Record<string, string> =>
  engines.kafkaBrokers
    ? { ...engines.kafkaSettings, KAFKA_BROKERS: engines.kafkaBrokers, KAFKA_TOPIC_PREFIX: kafkaTopicPrefix }
    : {};

/** Returns the settings by which a service trusts others and is trusted. */
export function trustOf(
  { secrets, certificates }: Pick<StackContext, 'secrets' | 'certificates'>,
  service: Caller,
): Record<string, string> {
  if (certificates !== undefined) return certificateSettings(certificates, service);
  return Object.fromEntries(
    pairsOf(service).map((pair) => {
      const name = pairSetting(...pair);
      return [name, derivedSecret(secrets.serviceSecret, name)];
    }),
  );
}

/** Short, because services stop one after the other, and all of them within 20 s. */
const STOP_GRACE_MS = '5000';

/** The simulator and servers such as Ollama run on this machine. */
const LOCAL_PROVIDERS = { PROVIDER_LOCAL_ADDRESSES: 'allow' };

/** In start order; stopped in reverse. */
export const SERVICES: readonly ServiceDefinition[] = [
  { name: 'simulator', after: [], ports: { http: http(7199), admin }, settings: () => ({}) },
  {
    name: 'catalog',
    after: ['engines'],
    ports: { grpc: grpc(7101), admin },
    settings: ({ secrets, databaseUrl }) => ({
      CREDENTIALS_KEY: secrets.credentialsKey,
      DATABASE_URL: databaseUrl('catalog'),
      ...LOCAL_PROVIDERS,
    }),
  },
  {
    name: 'billing',
    after: ['engines'],
    ports: { grpc: grpc(7102), admin },
    settings: (context) => ({
      KEY_PEPPER: context.secrets.keyPepper,
      DATABASE_URL: context.databaseUrl('billing'),
      ...context.engines.redisSettings,
      REDIS_URL: context.engines.redisUrl,
      ...kafka(context),
    }),
  },
  {
    name: 'media',
    after: ['catalog', 'billing', 'simulator'],
    ports: { grpc: grpc(7104), admin },
    settings: (context) => ({
      SIGNING_SECRET: derivedSecret(context.secrets.serviceSecret, 'media ids'),
      DATABASE_URL: context.databaseUrl('media'),
      CATALOG_ADDR: context.addresses('catalog'),
      BILLING_ADDR: context.addresses('billing'),
      CREDENTIALS_KEY: context.secrets.credentialsKey,
      ...kafka(context),
      ...LOCAL_PROVIDERS,
      ...context.providers.media,
      DRAIN_TIMEOUT_MS: STOP_GRACE_MS,
      SIM_BASE_URL: context.origin('simulator'),
    }),
  },
  {
    name: 'storage',
    after: ['billing'],
    ports: { grpc: grpc(7107), admin },
    settings: (context) => ({
      STORAGE_KEY: context.secrets.storageKey,
      DATABASE_URL: context.databaseUrl('storage'),
      FILE_DIR: join(context.dataDir, 'files'),
      BILLING_ADDR: context.addresses('billing'),
      CHAT_ADDR: context.addresses('chat'),
      DRAIN_TIMEOUT_MS: STOP_GRACE_MS,
    }),
  },
  {
    name: 'chat',
    after: ['catalog', 'billing', 'media', 'storage', 'simulator'],
    isAddressedEarly: true,
    ports: { grpc: grpc(7103), admin },
    settings: (context, index) => ({
      SIGNING_SECRET: derivedSecret(context.secrets.serviceSecret, 'chat ids'),
      CATALOG_ADDR: context.addresses('catalog'),
      BILLING_ADDR: context.addresses('billing'),
      MEDIA_ADDR: context.addresses('media'),
      STORAGE_ADDR: context.addresses('storage'),
      CREDENTIALS_KEY: context.secrets.credentialsKey,
      ...(context.chatJournal === 'postgres'
        ? { DATABASE_URL: context.databaseUrl('chat') }
        : { DATA_DIR: join(context.dataDir, `chat-${index}`) }),
      ...kafka(context),
      ...LOCAL_PROVIDERS,
      ...context.providers.chat,
      DRAIN_TIMEOUT_MS: STOP_GRACE_MS,
      SIM_BASE_URL: `${context.origin('simulator')}/openai/v1`,
    }),
  },
  {
    name: 'dashboard',
    after: ['catalog', 'billing', 'chat', 'media'],
    ports: { http: http(7105), grpc: grpc(7106), admin },
    settings: (context) => ({
      SIGNING_SECRET: derivedSecret(context.secrets.serviceSecret, 'dashboard ids'),
      JWT_SIGNING_KEY: context.secrets.jwtSigningKey,
      ADMIN_EMAIL: context.secrets.adminEmail,
      ADMIN_PASSWORD: context.secrets.adminPassword,
      DATABASE_URL: context.databaseUrl('dashboard'),
      CATALOG_ADDR: context.addresses('catalog'),
      BILLING_ADDR: context.addresses('billing'),
      CHAT_ADDR: context.addresses('chat'),
      MEDIA_ADDR: context.addresses('media'),
    }),
  },
  {
    name: 'edge',
    after: ['billing', 'chat', 'media', 'storage', 'dashboard'],
    ports: {
      api: { setting: 'EDGE_API_PORT', defaultPort: 0 },
      dashboard: { setting: 'EDGE_DASHBOARD_PORT', defaultPort: 0 },
      admin,
    },
    settings: (context) => ({
      BILLING_ADDR: context.addresses('billing'),
      CHAT_ADDR: context.addresses('chat'),
      MEDIA_ADDR: context.addresses('media'),
      STORAGE_ADDR: context.addresses('storage'),
      DASHBOARD_ADDR: context.addresses('dashboard'),
      DASHBOARD_HTTP_URL: context.origin('dashboard'),
      // There is no load balancer in front of the local edges.
      EDGE_LAME_DUCK_MS: '0',
      EDGE_STOP_GRACE_MS: STOP_GRACE_MS,
    }),
  },
];
