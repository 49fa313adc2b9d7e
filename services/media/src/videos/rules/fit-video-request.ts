import { GatewayError } from '@gateway/errors';
import { isLonger } from '../../domain/is-longer';
import type { VideoFeatures, VideoOffer } from '../../domain/model';
import type { VideoRequest } from './video-request';

/** The parameters of the video, and its price per second. */
export interface VideoParameters {
  readonly tier: string;
  readonly seconds: number;
  readonly perSecondNano: bigint;
  readonly resolution?: string;
  readonly aspectRatio?: string;
}

/**
 * Fits a request to what its model supports, before anything is spent.
 * @throws GatewayError `video_tier_not_found`; `video_generation_failed` for unsupported options
 */
export function fitVideoRequest(request: VideoRequest, { features, pricing }: VideoOffer): VideoParameters {
  const tier = request.tier ?? pricing.default_tier;
  const perSecondNano = tier === undefined ? undefined : pricing.per_second[tier];
  if (tier === undefined || perSecondNano === undefined || !pricing.tiers.includes(tier)) {
    throw new GatewayError('video_tier_not_found', {
      detail: `${tier === undefined ? 'a tier is required' : 'no such tier'}; available: ${pricing.tiers.join(', ')}`,
    });
  }
  const ofTier = features.tiers.get(tier);
  const resolution = resolutionOf(request, ofTier?.resolution ?? '', tier);
  const seconds = secondsOf(request, features, ofTier?.durations ?? [], tier);
  const aspectRatio = aspectRatioOf(request, features);
  if (request.images.length > features.maxReferenceImages) {
    throw unsupported(`reference_images: at most ${features.maxReferenceImages}`);
  }
  if (features.maxPromptChars > 0 && isLonger(request.prompt, features.maxPromptChars)) {
    throw unsupported(`prompt: at most ${features.maxPromptChars} characters`);
  }
  return {
    tier,
    seconds,
    perSecondNano,
    ...(resolution !== '' && { resolution }),
    ...(aspectRatio !== undefined && { aspectRatio }),
  };
}

/** The resolution is that of the tier that is paid for. */
function resolutionOf({ resolution }: VideoRequest, ofTier: string, tier: string): string {
  if (resolution === undefined) return ofTier;
  if (resolution.toLowerCase() === ofTier.toLowerCase()) return ofTier;
  throw unsupported(
    ofTier === '' ? 'resolution: not supported by this model' : `resolution: tier ${tier} is ${ofTier}`,
  );
}

function secondsOf(
  { seconds }: VideoRequest,
  features: VideoFeatures,
  ofTier: readonly number[],
  tier: string,
): number {
  const { minDuration, maxDuration, defaultDuration } = features;
  const durations = ofTier.length > 0 ? ofTier : features.durations;
  const has = (wanted: number) =>
    durations.length > 0
      ? durations.includes(wanted)
      : Number.isInteger(wanted) && wanted >= minDuration && wanted <= maxDuration;
  const usual = has(defaultDuration) ? defaultDuration : durations[0];
  const wanted = seconds ?? usual;
  if (wanted !== undefined && has(wanted)) return wanted;
  const offered = durations.length > 0 ? durations.join(', ') : `${minDuration} to ${maxDuration}`;
  throw unsupported(`duration: ${tier} supports ${offered} seconds`);
}

function aspectRatioOf(
  { aspectRatio, images }: VideoRequest,
  { aspectRatios, defaultAspectRatio }: VideoFeatures,
): string | undefined {
  if (aspectRatio === undefined) {
    // An image has its own ratio.
    return images.length === 0 && defaultAspectRatio !== '' ? defaultAspectRatio : undefined;
  }
  if (aspectRatios.includes(aspectRatio)) return aspectRatio;
  throw unsupported(
    aspectRatios.length === 0
      ? 'aspect_ratio: not supported by this model'
      : `aspect_ratio: one of ${aspectRatios.join(', ')}`,
  );
}

/** The same request would fail again, so clients should not repeat it. */
export function unsupported(detail: string): GatewayError {
  return new GatewayError('video_generation_failed', { detail, shouldRetry: false });
}
