import { z } from 'zod';
import { MAX_CREDENTIALS, MAX_LIMIT, MAX_PROVIDERS } from '../domain/provider';
import { modelSchema, usd } from '../seed/seed-schema';
import { listOf, text } from '../seed/seed-types';

const MAX_MODELS = 2_000;
const MAX_REQUESTS_PER_SECOND = 1_000_000;

const limit = z.int().min(1).max(MAX_LIMIT).optional();

/** A secret is never in the file: the services that call providers resolve the reference. */
const credentialSchema = z.strictObject({
  name: text(100),
  secret_ref: z.string(),
  weight: z.int().min(0).max(1_000_000).default(1),
  enabled: z.boolean().default(true),
  /** Of one instance of a service that calls the provider. */
  rpm_limit: limit,
  tpm_limit: limit,
  concurrency_limit: limit,
  /** Of all instances of chat, on a UTC day. */
  daily_cost_limit: usd.refine((nano) => nano > 0n, 'must be more than 0').optional(),
});

const providerSchema = z.strictObject({
  id: z.string(),
  kind: z.string(),
  /** Default: the id. */
  name: text(100).optional(),
  /** May be omitted if the kind or the options determine it. */
  base_url: z.string().default(''),
  headers: z.record(z.string(), z.string()).default({}),
  options: z.record(z.string(), z.unknown()).default({}),
  enabled: z.boolean().default(true),
  /** All credentials of the provider: others are deleted. */
  credentials: z.array(credentialSchema).max(MAX_CREDENTIALS).default([]),
});

/** A file of configuration. What it does not name stays as it is. */
export const configSchema = z.strictObject({
  providers: listOf(providerSchema, MAX_PROVIDERS).default([]),
  /** As in the files of the seed. */
  models: listOf(modelSchema, MAX_MODELS).default([]),
  settings: z
    .strictObject({
      /** Of all callers together; null: no limit. */
      requests_per_second: z.int().min(1).max(MAX_REQUESTS_PER_SECOND).nullable().optional(),
    })
    .default({}),
});

export type GatewayConfig = z.output<typeof configSchema>;
export type ConfiguredProvider = GatewayConfig['providers'][number];
