import type { Upload } from '../../domain/upload';
import type { ImageSize } from './image-provider';

/** What a caller asks for, in good order but not yet held against a model. Absent: as the model does by itself. */
export interface ImageRequest {
  /** As it was written. */
  readonly model: string;
  readonly prompt: string;
  readonly n: number;
  readonly size?: ImageSize;
  readonly quality?: string;
  readonly format?: string;
  readonly background?: string;
  /** 0–100. */
  readonly compression?: number;
  /** How images are to be answered; absent: in base64. */
  readonly replyAs?: 'b64_json' | 'url';
  /** What changes neither the price nor what a model must be able to do. */
  readonly hints: Readonly<Record<string, string>>;
  /** Fields of the format, set by the caller, that no model here heeds. */
  readonly unheeded: readonly string[];
  /** An edit takes images, a generation none. */
  readonly edit: boolean;
  readonly images: readonly Upload[];
  readonly mask?: Upload;
}
