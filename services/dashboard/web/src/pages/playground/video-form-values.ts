import type { Model, VideoFeatures } from '../../api/models';

/** Values of the video form. */
export interface VideoFormValues {
  readonly tier: string;
  /** Seconds. */
  readonly duration: number;
  readonly aspect_ratio: string;
}

/** A tier may have its own durations; without a list, every integer between minimum and maximum is allowed. */
export function durationsOf(video: VideoFeatures, tier: string | undefined) {
  const ofTier = video.tiers[tier ?? '']?.durations ?? [];
  const seconds = ofTier.length > 0 ? ofTier : video.durations;
  return { seconds, isAny: seconds.length === 0 };
}

/** Returns the chosen values that the model supports, otherwise its defaults, and the resulting cost. */
export function chosenVideo(values: VideoFormValues, { video, pricing }: Model) {
  if (!video) return { fields: {}, costUsd: undefined };
  const { tiers = [], default_tier, per_second } = pricing?.video ?? {};
  const tier = tiers.includes(values.tier) ? values.tier : (default_tier ?? tiers[0]);
  const { seconds, isAny } = durationsOf(video, tier);
  const fits = isAny
    ? values.duration >= video.min_duration && values.duration <= video.max_duration
    : seconds.includes(values.duration);
  const usual = isAny || seconds.includes(video.default_duration) ? video.default_duration : seconds[0]!;
  const duration = fits ? values.duration : usual;
  const ratio = video.aspect_ratios.includes(values.aspect_ratio)
    ? values.aspect_ratio
    : video.default_aspect_ratio;
  const price = tier === undefined ? undefined : per_second?.[tier];
  return {
    fields: {
      ...(tier !== undefined && { tier }),
      ...(duration > 0 && { duration }),
      ...(video.aspect_ratios.length > 0 && ratio && { aspect_ratio: ratio }),
    },
    costUsd: price === undefined ? undefined : price * duration,
  };
}
