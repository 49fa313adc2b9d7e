import { setTimeout as sleep } from 'node:timers/promises';
import { postJson } from './http';
import type { Customer, System } from './system';

/** Where a model is served, as operators write it. */
export interface TargetInput {
  readonly provider: string;
  readonly upstream_model?: string;
  readonly weight?: number;
  readonly priority?: number;
  readonly connect_timeout_ms?: number;
  readonly first_byte_timeout_ms?: number;
  readonly idle_timeout_ms?: number;
}

/** Nano-USD per token of such models. */
export const MADE_INPUT_NANO = 1_000n;
export const MADE_OUTPUT_NANO = 4_000n;
/** The same in USD per million. */
const STANDARD = { input: 1, output: 4, cache_read: 1, cache_write: 1 };
/** Twice as much. */
const PRIORITY = { input: 2, output: 8, cache_read: 2, cache_write: 2 };

const HEARD_WITHIN_MS = 5_000;

/**
 * Makes a chat model with these targets, tried in their order unless they say otherwise, and waits until chat
 * has heard of it; asking costs nothing. Its targets' models are its own, so that no other's failures count for it.
 */
export async function makeModel(
  system: System,
  customer: Customer,
  name: string,
  targets: readonly TargetInput[],
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
  });
  const count = { model: slug, messages: [{ role: 'user', content: 'x' }] };
  const countUrl = `${system.stack.apiUrl}/v1/messages/count_tokens`;
  const deadlineMs = Date.now() + HEARD_WITHIN_MS;
  while ((await postJson(countUrl, count, customer.apiKey)).status !== 200) {
    if (Date.now() > deadlineMs) throw new Error(`chat has not heard of ${slug}`);
    await sleep(20);
  }
  return slug;
}
