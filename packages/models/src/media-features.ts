/** Options of an image model as the API returns them. An empty list means that clients can't choose. */
export interface ImageFeatures {
  /** `<width>x<height>`; if there is a size rule, the most common sizes. */
  readonly sizes: readonly string[];
  /** Any size within these bounds is accepted; null: only the listed sizes. */
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
  /** The first entry is the default. */
  readonly formats: readonly string[];
  readonly max_n: number;
  /** 0: the model can't edit images. */
  readonly max_input_images: number;
  readonly mask: boolean;
  readonly transparent: boolean;
  /** Maximum tokens of one generated image; an empty size or quality matches any. */
  readonly output_tokens: readonly {
    readonly size: string;
    readonly quality: string;
    readonly tokens: number;
  }[];
  /** The counts are for 1024x1024 and scale with the area. */
  readonly output_tokens_by_area: boolean;
  readonly text_output_tokens: number;
  /** 0: unknown. */
  readonly max_prompt_chars: number;
}

/** Options of a video model as the API returns them; durations are in seconds. */
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
  /** By tier, where a tier has its own resolution or durations. */
  readonly tiers: Readonly<
    Record<string, { readonly resolution: string; readonly durations: readonly number[] }>
  >;
}
