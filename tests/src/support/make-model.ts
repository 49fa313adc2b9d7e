import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@gateway/testing';
import { postJson, sendRequest } from './http';
import type { Customer, System } from './system';

/** A target in the form that operators enter. */
export interface TargetInput {
  readonly provider: string;
  readonly upstream_model?: string;
  readonly weight?: number;
  readonly priority?: number;
  readonly connect_timeout_ms?: number;
  readonly first_byte_timeout_ms?: number;
  readonly idle_timeout_ms?: number;
}

/** Prices of these models in nano-USD per token. */
export const MADE_INPUT_NANO = 1_000n;
export const MADE_OUTPUT_NANO = 4_000n;
/** The same prices in USD per million tokens. */
const STANDARD = { input: 1, output: 4, cache_read: 1, cache_write: 1 };
/** Twice the standard price. */
const PRIORITY = { input: 2, output: 8, cache_read: 2, cache_write: 2 };

const KNOWN_WITHIN_MS = 5_000;

/**
 * Creates a chat model with these targets, by default in order of priority, and waits until chat knows it; the calls
 * for that are free. Other fields of the model replace the usual ones. Its upstream models are unique, so that failures of other models do not affect it.
 */
export async function makeModel(
  system: System,
  customer: Customer,
  name: string,
  targets: readonly TargetInput[],
  more: object = {},
): Promise<string> {
  const slug = `sim/${name}`;
  await system.dashboard.call('POST', 'admin/models', await system.operatorToken(), {
    slug,
    name,
    input_modalities: ['text'],
    output_modalities: ['text'],
    context_length: 100_000,
    max_output_tokens: 10_000,
    output_floor_tokens: 16,
    targets: targets.map((target, priority) => ({ priority, upstream_model: name, ...target })),
    pricing: { tokens: { ...STANDARD, service_tiers: { priority: PRIORITY } } },
    ...more,
  });
  const count = { model: slug, messages: [{ role: 'user', content: 'x' }] };
  const countUrl = `${system.stack.apiUrl}/v1/messages/count_tokens`;
  const deadlineMs = Date.now() + KNOWN_WITHIN_MS;
  while ((await postJson(countUrl, count, customer.apiKey)).status !== 200) {
    if (Date.now() > deadlineMs) throw new Error(`chat does not know ${slug}`);
    await sleep(20);
  }
  return slug;
}

/** Creates a model with that output and price, and these targets in order of priority, and waits until chat knows it. */
export async function makeInputModel(
  system: System,
  customer: Customer,
  name: string,
  { output, providers, tokens }: { output: string; providers: readonly string[]; tokens: object },
): Promise<string> {
  const slug = `sim/${name}`;
  await system.dashboard.call('POST', 'admin/models', await system.operatorToken(), {
    ...{ slug, name, input_modalities: ['text'], output_modalities: [output], context_length: 1_000 },
    targets: providers.map((provider, priority) => ({ provider, priority, upstream_model: name })),
    pricing: { tokens },
  });
  const headers = { authorization: `Bearer ${customer.apiKey}` };
  const url = `${system.stack.apiUrl}/v1/models/${slug}`;
  await until(async () => (await sendRequest(url, 'GET', headers)).status === 200);
  return slug;
}
