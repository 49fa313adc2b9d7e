import type { MediaFile } from '../../domain/upload';
import type { ProviderCall } from '../../images/rules/image-provider';
import type { TaskState } from './task';

/** What a caller wants made, checked against what the model offers. Absent: the provider's own choice. */
export interface VideoOrder {
  /** What the model is called at the provider. */
  readonly upstreamModel: string;
  readonly prompt: string;
  readonly tier: string;
  readonly seconds: number;
  readonly resolution?: string;
  readonly aspectRatio?: string;
  /** Reference images, in the caller's order. */
  readonly images: readonly MediaFile[];
}

/** What a task is known by at its provider; both are kept until it is over. */
export interface UpstreamTask {
  readonly upstreamId: string;
  readonly upstreamModel: string;
}

/** @see VideoProvider.submit */
export type Submitted =
  | UpstreamTask
  /** It answered success without an id: there is no task that anybody could ask for. */
  | { readonly upstreamId: undefined };

export interface MadeVideo {
  readonly url: string;
  readonly durationSeconds?: number;
  readonly expiresAtMs?: number;
}

export interface TaskReport {
  /** `unknown`: the provider knows no such task, or has nothing to show of it that it says it has made. */
  readonly state: TaskState | 'unknown';
  /** Seconds of video that it charges, where it tells them. */
  readonly seconds?: number;
  /** Why it failed, in words for the caller. */
  readonly detail?: string;
  /** Of a completed task; links are new at each look, where the provider makes such. */
  readonly videos?: readonly MadeVideo[];
}

/** One provider's way with videos. */
export interface VideoProvider {
  readonly id: string;
  /** It takes links in place of files, and fetches them itself. */
  readonly takesLinks: boolean;
  /** What the catalog can't say of it: why it could not make this order; asked before anything is spent. */
  whyNot?(order: VideoOrder): string | undefined;
  /**
   * Once for each order, whatever happens.
   * @throws UpstreamError how the provider failed; `unreachable` alone says that the order can't have arrived
   * @throws MediaRefused it would not make this
   */
  submit(order: VideoOrder, call: ProviderCall): Promise<Submitted>;
  /**
   * What its task is known by beside its own id, because it was ordered under that name. Absent: tasks whose own id
   * was told to nobody can't be found.
   */
  givenId?(order: VideoOrder, requestId: string): string;
  /** @throws UpstreamError when it can't be told; the task goes on */
  poll(task: UpstreamTask, call: ProviderCall): Promise<TaskReport>;
  /** For results that only our credential opens: the file itself. Absent: links are good for everybody. */
  openContent?(url: string, call: ProviderCall): Promise<VideoContent>;
}

export interface VideoContent {
  readonly mime: string;
  readonly bytes?: number;
  readonly body: AsyncIterable<Buffer>;
}
