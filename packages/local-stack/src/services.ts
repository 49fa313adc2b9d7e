import { join } from 'node:path';
import type { ProviderPlan } from './providers';
import type { StackSecrets } from './secrets';
import type { DatabaseService } from './service-databases';

export type ServiceName = 'edge' | 'catalog' | 'billing' | 'chat' | 'media' | 'dashboard' | 'simulator';

/** What a service's settings may need to know about the stack. */
export interface Surroundings {
  readonly dataDir: string;
  readonly secrets: StackSecrets;
  readonly engines: { redisUrl: string; kafkaBrokers: string | undefined };
  /** With the login of that service. */
  databaseUrl(service: DatabaseService): string;
  readonly kafkaTopicPrefix: string;
  /** `host:port` of every running instance of a service, comma-separated. */
  addresses(service: ServiceName): string;
  /** Origin of the HTTP server of its first instance. */
  origin(service: ServiceName): string;
  /** Provider settings for each service. */
  readonly providers: ProviderPlan['settings'];
}

export interface ServiceDefinition {
  readonly name: ServiceName;
  /** Services that must be ready before. */
  readonly after: readonly (ServiceName | 'engines')[];
  /** Ports by the name that the service reports: the setting, and the default port. */
  readonly ports: Readonly<Record<string, { setting: string; usual: number }>>;
  settings(around: Surroundings, index: number): Record<string, string>;
}

const admin = { setting: 'ADMIN_PORT', usual: 0 };
const grpc = (usual: number) => ({ setting: 'GRPC_PORT', usual });
const http = (usual: number) => ({ setting: 'HTTP_PORT', usual });
const kafka = ({ engines: { kafkaBrokers }, kafkaTopicPrefix }: Surroundings): Record<string, string> =>
  kafkaBrokers ? { KAFKA_BROKERS: kafkaBrokers, KAFKA_TOPIC_PREFIX: kafkaTopicPrefix } : {};

/** Callers and the services they call are stopped one after the other, within the rest of the 20 s. */
const STOP_GRACE_MS = '5000';

/** In start order; stopped in reverse. */
export const SERVICES: readonly ServiceDefinition[] = [
  { name: 'simulator', after: [], ports: { http: http(7199), admin }, settings: () => ({}) },
  {
    name: 'catalog',
    after: ['engines'],
    ports: { grpc: grpc(7101), admin },
    settings: ({ secrets, databaseUrl }) => ({
      SERVICE_SECRET: secrets.serviceSecret,
      DATABASE_URL: databaseUrl('catalog'),
    }),
  },
  {
    name: 'billing',
    after: ['engines'],
    ports: { grpc: grpc(7102), admin },
    settings: (around) => ({
      SERVICE_SECRET: around.secrets.serviceSecret,
      KEY_PEPPER: around.secrets.keyPepper,
      DATABASE_URL: around.databaseUrl('billing'),
      REDIS_URL: around.engines.redisUrl,
      ...kafka(around),
    }),
  },
  {
    name: 'media',
    after: ['catalog', 'billing', 'simulator'],
    ports: { grpc: grpc(7104), admin },
    settings: (around) => ({
      SERVICE_SECRET: around.secrets.serviceSecret,
      DATABASE_URL: around.databaseUrl('media'),
      CATALOG_ADDR: around.addresses('catalog'),
      BILLING_ADDR: around.addresses('billing'),
      ...kafka(around),
      ...around.providers.media,
      DRAIN_TIMEOUT_MS: STOP_GRACE_MS,
      SIM_BASE_URL: around.origin('simulator'),
    }),
  },
  {
    name: 'chat',
    after: ['catalog', 'billing', 'media', 'simulator'],
    ports: { grpc: grpc(7103), admin },
    settings: (around, index) => ({
      SERVICE_SECRET: around.secrets.serviceSecret,
      CATALOG_ADDR: around.addresses('catalog'),
      BILLING_ADDR: around.addresses('billing'),
      MEDIA_ADDR: around.addresses('media'),
      DATA_DIR: join(around.dataDir, `chat-${index}`),
      ...kafka(around),
      ...around.providers.chat,
      DRAIN_TIMEOUT_MS: STOP_GRACE_MS,
      SIM_BASE_URL: `${around.origin('simulator')}/openai/v1`,
    }),
  },
  {
    name: 'dashboard',
    after: ['catalog', 'billing', 'chat', 'media'],
    ports: { http: http(7105), grpc: grpc(7106), admin },
    settings: (around) => ({
      SERVICE_SECRET: around.secrets.serviceSecret,
      JWT_SIGNING_KEY: around.secrets.jwtSigningKey,
      ADMIN_EMAIL: around.secrets.adminEmail,
      ADMIN_PASSWORD: around.secrets.adminPassword,
      DATABASE_URL: around.databaseUrl('dashboard'),
      CATALOG_ADDR: around.addresses('catalog'),
      BILLING_ADDR: around.addresses('billing'),
      CHAT_ADDR: around.addresses('chat'),
      MEDIA_ADDR: around.addresses('media'),
    }),
  },
  {
    name: 'edge',
    after: ['billing', 'chat', 'media', 'dashboard'],
    ports: {
      api: { setting: 'EDGE_API_PORT', usual: 0 },
      dashboard: { setting: 'EDGE_DASHBOARD_PORT', usual: 0 },
      admin,
    },
    settings: (around) => ({
      SERVICE_SECRET: around.secrets.serviceSecret,
      BILLING_ADDR: around.addresses('billing'),
      CHAT_ADDR: around.addresses('chat'),
      MEDIA_ADDR: around.addresses('media'),
      DASHBOARD_ADDR: around.addresses('dashboard'),
      DASHBOARD_HTTP_URL: around.origin('dashboard'),
      // There is no load balancer in front of the local edges.
      EDGE_LAME_DUCK_MS: '0',
      EDGE_STOP_GRACE_MS: STOP_GRACE_MS,
    }),
  },
];
