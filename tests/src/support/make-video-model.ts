import { setTimeout as sleep } from 'node:timers/promises';
import { postJson } from './http';
import type { Customer, System } from './system';

export interface VideoModelInput {
  readonly provider?: string;
  readonly status?: 'active' | 'disabled';
  readonly workflow?: readonly string[];
  readonly defaultTier?: string | null;
}

const KNOWN_WITHIN_MS = 5_000;

/** Creates a video model like `sim/video` with these fields, and waits until media knows it; the calls for that are free. */
export async function makeVideoModel(
  system: System,
  customer: Customer,
  name: string,
  { provider = 'sim', status = 'active', workflow, defaultTier = 'std' }: VideoModelInput = {},
): Promise<string> {
  const slug = `sim/${name}`;
  await system.dashboard.call('POST', 'admin/models', await system.operatorToken(), {
    slug,
    name,
    status,
    input_modalities: ['text', 'image'],
    output_modalities: ['video'],
    workflow: workflow ?? ['create', 'status', 'result'],
    targets: [{ provider, upstream_model: name }],
    video: {
      durations: [5, 10],
      default_duration: 5,
      aspect_ratios: ['16:9'],
      default_aspect_ratio: '16:9',
      max_reference_images: 2,
      tiers: { std: { resolution: '720p' } },
    },
    pricing: {
      video: {
        tiers: ['std'],
        per_second: { std: 0.05 },
        ...(defaultTier !== null && { default_tier: defaultTier }),
      },
    },
  });
  await untilChanged(system, customer, slug, 'model_not_found');
  return slug;
}

/** Delists the model and waits until media knows that. */
export async function delistVideoModel(system: System, customer: Customer, slug: string): Promise<void> {
  const token = await system.operatorToken();
  await system.dashboard.call('POST', `admin/models/${slug}/delist`, token, { successor: 'sim/video' });
  await untilChanged(system, customer, slug, 'video_generation_failed');
}

/** Waits until an invalid order gets another error than `before`. */
async function untilChanged(
  system: System,
  { apiKey }: Customer,
  slug: string,
  before: string,
): Promise<void> {
  const order = { model: slug, prompt: 'x', tier: 'std', duration: 7_777 };
  const deadlineMs = Date.now() + KNOWN_WITHIN_MS;
  for (;;) {
    const { json } = await postJson(`${system.stack.apiUrl}/v1/videos/sim/create`, order, apiKey);
    if (json?.error?.code !== before) return;
    if (Date.now() > deadlineMs) throw new Error(`media does not know ${slug}`);
    await sleep(20);
  }
}
