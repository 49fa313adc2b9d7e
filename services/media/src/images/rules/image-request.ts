import type { Upload } from '../../domain/upload';
import type { ImageSize } from './image-provider';

/** A well-formed request, not yet compared with a model. Absent: the model's default. */
export interface ImageRequest {
  /** As the caller wrote it. */
  readonly model: string;
  readonly prompt: string;
  readonly n: number;
  readonly size?: ImageSize;
  readonly quality?: string;
  readonly format?: string;
  readonly background?: string;
  /** 0–100. */
  readonly compression?: number;
  /** How to return images; absent: in base64. */
  readonly replyAs?: 'b64_json' | 'url';
  /** Whether to return images as events. */
  readonly streamed: boolean;
  /** Maximum partial images in the stream; absent: none. */
  readonly partialImages?: number;
  /** Fields that change neither the price nor the required features. */
  readonly hints: Readonly<Record<string, string>>;
  /** Fields that the caller has set and no model supports. */
  readonly unsupportedFields: readonly string[];
  /** An edit has images, a generation none. */
  readonly edit: boolean;
  readonly images: readonly Upload[];
  readonly mask?: Upload;
}
