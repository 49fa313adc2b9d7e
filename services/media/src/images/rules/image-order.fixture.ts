import type { ImageFeatures } from '../../domain/model';
import type { ImageOrder, ProviderCall } from './image-provider';

export const anOrder = (fields: Partial<ImageOrder> = {}): ImageOrder => ({
  upstreamModel: 'm',
  prompt: 'a cat',
  n: 1,
  hints: {},
  acceptsLinks: false,
  images: [],
  ...fields,
});

export const aProviderCall = (signal = new AbortController().signal): ProviderCall => ({
  requestId: 'r',
  signal,
  timeouts: { connectMs: 1_000, firstByteMs: 1_000, idleMs: 1_000 },
});

export const FEATURES: ImageFeatures = {
  sizes: ['1024x1024', '1536x1024'],
  sizeRule: { stepPx: 16, minPixels: 256 * 256, maxPixels: 3_840 * 2_160, maxEdgePx: 3_840, maxRatio: 3 },
  defaultSize: '1024x1024',
  qualities: ['low', 'medium', 'high'],
  defaultQuality: 'medium',
  formats: ['png', 'jpeg', 'webp'],
  transparent: true,
  maxN: 10,
  maxInputImages: 16,
  mask: true,
  maxPromptChars: 32_000,
  maxInputImageTokens: 323,
  outputTokens: [
    { size: '', quality: 'low', tokens: 272 },
    { size: '', quality: 'medium', tokens: 1_056 },
    { size: '', quality: 'high', tokens: 4_160 },
  ],
  outputTokensByArea: true,
  textOutputTokens: 0,
};
