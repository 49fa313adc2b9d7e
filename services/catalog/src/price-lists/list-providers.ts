import type { ProviderKind } from '@gateway/providers';
import type { PriceListFormat } from './price-list';

/** The ids that the lists use for the provider behind each kind; those of presets and operators come first. */
const BY_KIND: Readonly<Record<PriceListFormat, Partial<Record<ProviderKind, string>>>> = {
  'models.dev': {
    gemini: 'google',
    bedrock: 'amazon-bedrock',
    'azure-openai': 'azure',
    vertex: 'google-vertex',
    'vertex-anthropic': 'google-vertex-anthropic',
  },
  litellm: { 'azure-openai': 'azure', vertex: 'vertex_ai', 'vertex-anthropic': 'vertex_ai' },
};

/** LiteLLM's ids where they differ from those of models.dev, which presets use. */
const LITELLM_IDS: Readonly<Record<string, string>> = {
  'fireworks-ai': 'fireworks_ai',
  google: 'gemini',
  moonshotai: 'moonshot',
  'novita-ai': 'novita',
  nvidia: 'nvidia_nim',
  alibaba: 'dashscope',
  togetherai: 'together_ai',
  vercel: 'vercel_ai_gateway',
  zhipuai: 'zai',
};

export interface ProviderNames {
  readonly id: string;
  /** Absent: its kind says nothing about who runs it, such as a server that is compatible with OpenAI. */
  readonly kind?: ProviderKind | undefined;
  readonly preset?: string | undefined;
}

/** Returns the ids under which a price list may have the provider, the most specific first. */
export function listProvidersOf(format: PriceListFormat, { id, kind, preset }: ProviderNames): string[] {
  const ofKind = kind && (BY_KIND[format][kind] ?? kind);
  const names = [preset, id, ofKind].filter((name) => name !== undefined);
  const known = format === 'litellm' ? names.flatMap((name) => [LITELLM_IDS[name] ?? name, name]) : names;
  return [...new Set(known)];
}
