import type { ProviderConnection } from '@gateway/upstream';
import type { MediaFile } from '../../domain/upload';
import type { CredentialProbe, ProviderCall } from '../../images/rules/image-provider';
import type { TaskState } from './task';

/** A video order that the model supports. Absent: the provider's default. */
export interface VideoOrder {
  /** The model's name at the provider. */
  readonly upstreamModel: string;
  readonly prompt: string;
  readonly tier: string;
  readonly seconds: number;
  readonly resolution?: string;
  readonly aspectRatio?: string;
  /** Reference images, in the caller's order. */
  readonly images: readonly MediaFile[];
}

/** A task's identification at its provider; both are stored until it has ended. */
export interface UpstreamTask {
  readonly upstreamId: string;
  readonly upstreamModel: string;
}

/** @see VideoProvider.submit */
export type Submitted =
  | UpstreamTask
  /** Success without an id: the task can't be polled. */
  | { readonly upstreamId: undefined };

export interface GeneratedVideo {
  readonly url: string;
  readonly durationSeconds?: number;
  readonly expiresAtMs?: number;
}

export interface TaskReport {
  /** `unknown`: the provider does not know the task, or has no result although it reports success. */
  readonly state: TaskState | 'unknown';
  /** Seconds of video that it charges, if it reports them. */
  readonly seconds?: number;
  /** Why it failed, for the caller. */
  readonly detail?: string;
  /** Of a completed task; some providers create new links at each poll. */
  readonly videos?: readonly GeneratedVideo[];
}

/** A provider of videos. */
export interface VideoProvider {
  readonly id: string;
  /** How it is reached; absent: as every provider. */
  readonly connection?: ProviderConnection;
  /** It accepts links in place of files, and fetches them itself. */
  readonly fetchesLinks: boolean;
  /** Returns why it can't generate this, for limits that the catalog can't express; called before anything is spent. */
  unsupportedReason?(order: VideoOrder): string | undefined;
  /**
   * Called once for each order, whatever happens.
   * @throws UpstreamError how the provider failed; only `unreachable` means that the order can't have arrived
   * @throws MediaRefused when it refuses the order
   */
  submit(order: VideoOrder, call: ProviderCall): Promise<Submitted>;
  /**
   * Returns another id of its task, which we gave it with the order. Absent: a task whose own id was never received can't be found.
   */
  externalTaskId?(order: VideoOrder, requestId: string): string;
  /** @throws UpstreamError when the state can't be determined; the task continues */
  poll(task: UpstreamTask, call: ProviderCall): Promise<TaskReport>;
  /** Opens the file of a result that requires our credential. Absent: links are public. */
  openContent?(url: string, call: ProviderCall): Promise<VideoContent>;
  /** @see CredentialProbe */
  readonly probe?: CredentialProbe;
}

export interface VideoContent {
  readonly mime: string;
  readonly bytes?: number;
  readonly body: AsyncIterable<Buffer>;
}
