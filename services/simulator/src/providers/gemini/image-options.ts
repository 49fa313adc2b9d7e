import type { Size } from '../../domain/files/size';
import type { Upload } from '../../domain/media-usage';
import { uploadOf } from '../upload';
import type { Part, Turn } from './contents';
import { invalid } from './error';
import type { GenerationConfig } from './generation-config';

/** Options of an image request in addition to its text. */
export interface ImageOptions {
  readonly size: Size;
  readonly imageSize: string;
  readonly withText: boolean;
  readonly uploads: readonly Upload[];
  /** Tokens of each generated image. */
  readonly tokensPerImage: number;
  readonly tokensPerUpload: number;
}

/** Pixels of 1K by ratio, from the image generation guide of ai.google.dev; 2K and 4K are multiples. */
type Sizes = Readonly<Record<string, readonly [number, number]>>;

const OLDER_SIZES: Sizes = {
  '1:1': [1024, 1024],
  '2:3': [832, 1248],
  '3:2': [1248, 832],
  '3:4': [864, 1184],
  '4:3': [1184, 864],
  '4:5': [896, 1152],
  '5:4': [1152, 896],
  '9:16': [768, 1344],
  '16:9': [1344, 768],
  '21:9': [1536, 672],
};

/** From Gemini 3 on. */
const SIZES: Sizes = {
  '1:1': [1024, 1024],
  '2:3': [848, 1264],
  '3:2': [1264, 848],
  '3:4': [896, 1200],
  '4:3': [1200, 896],
  '4:5': [928, 1152],
  '5:4': [1152, 928],
  '9:16': [768, 1376],
  '16:9': [1376, 768],
  '21:9': [1584, 672],
};

const SCALES: Readonly<Record<string, number>> = { '1K': 1, '2K': 2, '4K': 4 };
const MAX_IMAGES = 16;

/** Returns null if only text is requested. @throws ProviderError */
export function readImageOptions(
  model: string,
  { modalities, aspectRatio, imageSize, n }: GenerationConfig,
  turns: readonly Turn[],
): ImageOptions | null {
  if (!modalities.includes('IMAGE')) return null;
  const older = model.startsWith('gemini-2');
  const [width, height] = (older ? OLDER_SIZES : SIZES)[aspectRatio] ?? refuse('aspect_ratio', aspectRatio);
  const scale = SCALES[imageSize] ?? refuse('image_size', imageSize);
  if (n > 1) throw invalid('Multiple candidates is not enabled for this model');
  const uploads = turns.flatMap(({ parts }, turn) => uploadsOf(parts, `contents[${turn}]`));
  if (uploads.length > MAX_IMAGES) throw invalid(`At most ${MAX_IMAGES} images in a request.`);
  return {
    size: { width: width * scale, height: height * scale },
    imageSize,
    withText: modalities.includes('TEXT'),
    uploads,
    tokensPerImage: tokensPerImage(model, scale),
    tokensPerUpload: older ? 258 : 560,
  };
}

function tokensPerImage(model: string, scale: number): number {
  if (model.startsWith('gemini-2')) return 1_290;
  if (model.includes('flash')) return scale < 2 ? 1_120 : scale < 4 ? 1_680 : 2_520;
  return scale < 4 ? 1_120 : 2_000;
}

function uploadsOf(parts: readonly Part[], at: string): Upload[] {
  return parts.flatMap((part, i) =>
    part.kind === 'other' && part.data !== undefined
      ? [uploadOf(`${at}.parts[${i}]`, part.data, () => invalid('Unable to process input image.'))]
      : [],
  );
}

function refuse(field: string, value: string): never {
  throw invalid(
    `* GenerateContentRequest.generation_config.image_config.${field}: unsupported value ${value.slice(0, 16)}\n`,
  );
}
