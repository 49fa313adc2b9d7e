import type { LinkedVideo, LinkSigner } from './rules/signed-link';
import type { VideoTask } from './rules/video-task';

export interface VideoLinksOptions {
  readonly signer: LinkSigner;
  /** Origin of the API; absent: the address at which edge received the call. */
  readonly publicUrl: string | undefined;
  readonly lifetimeMs: number;
  readonly nowMs: () => number;
}

export const VIDEO_FILES_PATH = '/v1/videos/files/';

/** Signed links to videos that a provider shows only with our credential. */
export class VideoLinks {
  readonly #options: VideoLinksOptions;

  constructor(options: VideoLinksOptions) {
    this.#options = options;
  }

  /** @param listener origin of edge's listener, as edge reports it */
  to({ id }: VideoTask, index: number, listener: string | undefined): { url: string; expiresAtMs: number } {
    const { signer, lifetimeMs, nowMs } = this.#options;
    const expiresAtMs = Math.ceil((nowMs() + lifetimeMs) / 1_000) * 1_000;
    const token = signer.sign({ taskId: id, index, expiresAtMs });
    return { url: `${this.#options.publicUrl ?? listener ?? ''}${VIDEO_FILES_PATH}${token}`, expiresAtMs };
  }

  /** Undefined for an invalid link. */
  read(path: string): LinkedVideo | undefined {
    const { signer, nowMs } = this.#options;
    return signer.open(path.slice(VIDEO_FILES_PATH.length), nowMs());
  }
}
