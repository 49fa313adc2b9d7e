import { z } from 'zod';
import { azureBaseUrl, azureOptions } from './azure-options';
import { connectionOptions } from './connection-options';
import { PRESETS, type Preset, presetBaseUrl } from './presets';
import { type Quirks, quirksSchema } from './quirks-schema';
import { vertexAnthropicOptions, vertexBaseUrl, vertexOptions } from './vertex-options';

/** What operators configure of a kind of provider beyond its credentials. */
interface ProviderKindRules {
  /** Of the provider's `options`. */
  readonly options: z.ZodObject;
  /** Returns the base URL of a provider that has none of its own; undefined if `options` do not determine it. */
  defaultBaseUrl(options: Readonly<Record<string, unknown>>): string | undefined;
}

const withBaseUrl = (url: string): ProviderKindRules => ({
  options: z.strictObject({}),
  defaultBaseUrl: () => url,
});

const presetId = (kind: Preset['kind']) =>
  z.string().refine((id) => PRESETS.get(id)?.kind === kind, `unknown for kind ${kind}`);

/** @param url of a provider without a preset */
const withPresets = (kind: Preset['kind'], url: string, members: z.ZodRawShape): ProviderKindRules => ({
  options: z.strictObject({ preset: presetId(kind).optional(), ...members }),
  defaultBaseUrl({ preset: id }) {
    if (id === undefined) return url;
    const preset = PRESETS.get(String(id));
    return preset && presetBaseUrl(preset);
  },
});
/** Such as `us-east-1` and `us-gov-west-1`. */
const AWS_REGION = /^[a-z]{2,4}(-[a-z]+){1,3}-\d{1,2}$/;

/** The formats of providers' APIs that generate text; some of them also images, videos and audio. */
const CHAT_KINDS = {
  /** Any server with OpenAI's chat completions. */
  openai: withPresets('openai', 'https://api.openai.com/v1', { quirks: quirksSchema.optional() }),
  anthropic: withPresets('anthropic', 'https://api.anthropic.com', {}),
  cohere: withBaseUrl('https://api.cohere.com'),
  gemini: withBaseUrl('https://generativelanguage.googleapis.com'),
  mistral: withBaseUrl('https://api.mistral.ai/v1'),
  deepseek: withBaseUrl('https://api.deepseek.com/v1'),
  xai: withBaseUrl('https://api.x.ai/v1'),
  /** AWS Bedrock's Converse API. Requests are signed for the region, wherever the base URL leads. */
  bedrock: {
    options: z.strictObject({ region: z.string().regex(AWS_REGION, 'must be an AWS region') }),
    defaultBaseUrl: ({ region }) =>
      typeof region === 'string' ? `https://bedrock-runtime.${region}.amazonaws.com` : undefined,
  },
  'azure-openai': { options: azureOptions, defaultBaseUrl: azureBaseUrl },
  /** Gemini on Vertex AI. */
  vertex: { options: vertexOptions, defaultBaseUrl: vertexBaseUrl },
  /** Claude on Vertex AI. */
  'vertex-anthropic': { options: vertexAnthropicOptions, defaultBaseUrl: vertexBaseUrl },
} as const satisfies Record<string, ProviderKindRules>;

/** The formats that generate only images or videos. */
const MEDIA_KINDS = {
  /** FLUX of Black Forest Labs. */
  bfl: withBaseUrl('https://api.bfl.ai'),
  /** MiniMax's videos, v2 of its API. */
  minimax: withBaseUrl('https://api.minimax.io'),
  kling: withBaseUrl('https://api-singapore.klingai.com'),
  /** Wan on Alibaba's DashScope. */
  dashscope: withBaseUrl('https://dashscope-intl.aliyuncs.com'),
} as const satisfies Record<string, ProviderKindRules>;

const KINDS = { ...CHAT_KINDS, ...MEDIA_KINDS };

export type ChatKind = keyof typeof CHAT_KINDS;
/** A kind whose providers generate images, videos or speech, or transcribe. */
export type MediaKind = keyof typeof MEDIA_KINDS | 'openai' | 'azure-openai' | 'gemini' | 'mistral';
export type ProviderKind = keyof typeof KINDS;

export const PROVIDER_KINDS = Object.keys(KINDS) as readonly ProviderKind[];

/** Whether providers of the kind generate text. */
export const isChatKind = (kind: string): kind is ChatKind => Object.hasOwn(CHAT_KINDS, kind);

export const isProviderKind = (kind: string): kind is ProviderKind => Object.hasOwn(KINDS, kind);

/** Returns the names of the options that a kind has in addition to those of every kind. */
export const optionNames = (kind: ProviderKind): string[] => Object.keys(KINDS[kind].options.shape);

/** Returns what is wrong with the options of a provider, such as `options.region: must be a string`; empty if nothing. */
export function optionProblems(kind: ProviderKind, options: Readonly<Record<string, unknown>>): string[] {
  const { error } = KINDS[kind].options.extend(connectionOptions).safeParse(options);
  return (error?.issues ?? []).map(({ path, message }) => `${['options', ...path].join('.')}: ${message}`);
}

/** Returns the base URL that a provider has without one of its own; undefined if it needs one. */
export const defaultBaseUrl = (
  kind: ProviderKind,
  options: Readonly<Record<string, unknown>>,
): string | undefined => KINDS[kind].defaultBaseUrl(options);

/**
 * Returns the quirks of a provider of kind `openai`: those of its preset, if it has one, replaced by those of its options.
 * @throws Error for options that this version does not know
 */
export function quirksOf(options: Readonly<Record<string, unknown>>): Quirks {
  const problems = optionProblems('openai', options);
  if (problems.length > 0) throw new Error(problems.join('; '));
  const { preset, quirks } = options as { preset?: string; quirks?: Quirks };
  return { ...(preset !== undefined && PRESETS.get(preset)?.quirks), ...quirks };
}
