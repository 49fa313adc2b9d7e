import type { LinkedVideo, LinkSigner } from '../domain/signed-link';
import type { VideoTask } from '../domain/video-task';

export interface VideoLinksOptions {
  readonly signer: LinkSigner;
  /** Where callers reach the API; absent: where this one did. */
  readonly publicUrl: string | undefined;
  readonly lifetimeMs: number;
  readonly nowMs: () => number;
}

export const VIDEO_FILES_PATH = '/v1/videos/files/';
/** A name or an address, perhaps with a port: what may stand in a link. */
const HOST = /^(\[[\da-fA-F:.]+\]|[\w.-]+)(:\d{1,5})?$/;

/** Links of our own to videos that a provider shows only to us. */
export class VideoLinks {
  readonly #options: VideoLinksOptions;

  constructor(options: VideoLinksOptions) {
    this.#options = options;
  }

  /** @param host that the caller called */
  to({ id }: VideoTask, index: number, host: string | undefined): { url: string; expiresAtMs: number } {
    const { signer, lifetimeMs, nowMs } = this.#options;
    const expiresAtMs = Math.ceil((nowMs() + lifetimeMs) / 1_000) * 1_000;
    const token = signer.sign({ taskId: id, index, expiresAtMs });
    return { url: `${this.#origin(host)}${VIDEO_FILES_PATH}${token}`, expiresAtMs };
  }

  /** Undefined for what is no good link. */
  read(path: string): LinkedVideo | undefined {
    const { signer, nowMs } = this.#options;
    return signer.open(path.slice(VIDEO_FILES_PATH.length), nowMs());
  }

  /** Empty where nothing is known: the link is then relative to the API. */
  #origin(host: string | undefined): string {
    const { publicUrl } = this.#options;
    if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '');
    return host !== undefined && HOST.test(host) ? `http://${host}` : '';
  }
}
