/** What an image model takes, as the API shows it. An empty list: callers can't choose. */
export interface ImageFeatures {
  /** `<width>x<height>`; with a rule: the usual ones. */
  readonly sizes: readonly string[];
  /** Any size within these bounds will do; null: only those listed. */
  readonly size_rule: {
    readonly step_px: number;
    readonly max_edge_px: number;
    readonly max_ratio: number;
    readonly min_pixels: number;
    readonly max_pixels: number;
  } | null;
  readonly default_size: string;
  readonly qualities: readonly string[];
  readonly default_quality: string;
  /** The first is what callers get who name none. */
  readonly formats: readonly string[];
  readonly max_n: number;
  /** 0: no edits. */
  readonly max_input_images: number;
  readonly mask: boolean;
  readonly transparent: boolean;
  /** Most tokens that one image made is counted as; an empty size or quality stands for any. */
  readonly output_tokens: readonly {
    readonly size: string;
    readonly quality: string;
    readonly tokens: number;
  }[];
  /** They are of 1024x1024 and grow with the area. */
  readonly output_tokens_by_area: boolean;
  readonly text_output_tokens: number;
  /** 0: not known. */
  readonly max_prompt_chars: number;
}

/** What a video model takes, as the API shows it; durations are seconds. */
export interface VideoFeatures {
  /** Empty: every whole number from `min_duration` to `max_duration`. */
  readonly durations: readonly number[];
  readonly min_duration: number;
  readonly max_duration: number;
  readonly default_duration: number;
  readonly aspect_ratios: readonly string[];
  readonly default_aspect_ratio: string;
  readonly max_reference_images: number;
  readonly max_prompt_chars: number;
  /** By tier, where one stands for a resolution or has durations of its own. */
  readonly tiers: Readonly<
    Record<string, { readonly resolution: string; readonly durations: readonly number[] }>
  >;
}
