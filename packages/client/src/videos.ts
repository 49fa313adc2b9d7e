import { providerOf } from './call.ts';
import { formOf, hasFiles } from './forms.ts';
import { GatewayError, isGatewayError } from './gateway-error.ts';
import type { CallOptions } from './options.ts';
import type { VideoRequest, VideoResult, VideoStatus, VideoTask } from './replies.ts';
import { type Connection, requestJson } from './transport.ts';
import { deadlineExceeded } from './watch.ts';

const DEFAULT_WAIT_MS = 30 * 60_000;
const DEFAULT_POLL_INTERVAL_MS = 3_000;
const FAILED = ['failed', 'canceled', 'expired'];

export interface WaitOptions extends Omit<CallOptions, 'idempotencyKey'> {
  /** Time for all polls. Default: 30 minutes. */
  readonly deadlineMs?: number | undefined;
  /** Default: 3 s. Each poll counts as a request of the key's limit per minute. */
  readonly pollIntervalMs?: number | undefined;
  /** Called with each status. */
  readonly onStatus?: ((status: VideoStatus) => void) | undefined;
}

export interface GenerateOptions extends WaitOptions, Pick<CallOptions, 'idempotencyKey'> {
  /** Called when the task is created; with a stored task, `wait` continues after a restart of the program. */
  readonly onTask?: ((task: VideoTask) => void) | undefined;
}

/** What identifies a task. */
export type TaskRef = Pick<VideoTask, 'task_id' | 'model'>;

export class Videos {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Creates a task. Reference images are links or `data:` URLs, or files, which make the request a form. */
  create(body: VideoRequest, options?: CallOptions): Promise<VideoTask> {
    const path = `/v1/videos/${encodeURIComponent(providerOf(body.model))}/create`;
    const sent = hasFiles(body) ? formOf(body) : body;
    const request = { method: 'POST', path, body: sent, hasIdempotencyKey: true } as const;
    return requestJson(this.#connection, request, options);
  }

  status(task: TaskRef, options?: CallOptions): Promise<VideoStatus> {
    return this.#poll('status', task, options);
  }

  /** Returns the links to the video of a completed task. */
  result(task: TaskRef, options?: CallOptions): Promise<VideoResult> {
    return this.#poll('result', task, options);
  }

  /**
   * Polls a task until it has ended, and returns the links to its video.
   * @throws GatewayError `video_task_failed`; `request_cost_limit`, which ends the polls; `deadline_exceeded`, after which `wait` can
   * continue with the error's `task`
   */
  async wait(task: TaskRef, options: WaitOptions = {}): Promise<VideoResult> {
    const { clock } = this.#connection;
    const { deadlineMs = DEFAULT_WAIT_MS, pollIntervalMs = DEFAULT_POLL_INTERVAL_MS, onStatus } = options;
    const endMs = clock.now() + deadlineMs;
    for (;;) {
      const remainingMs = endMs - clock.now();
      if (remainingMs <= 0) throw deadlineExceeded({ task });
      const result = await this.#check(task, { ...options, deadlineMs: remainingMs }, onStatus);
      if (result) return result;
      await clock.sleep(Math.min(pollIntervalMs, Math.max(0, endMs - clock.now())), options.signal);
    }
  }

  /** Creates a task, waits until it has ended, and returns the links to its video. */
  async generate(body: VideoRequest, options: GenerateOptions = {}): Promise<VideoResult> {
    const { clock } = this.#connection;
    const { deadlineMs = DEFAULT_WAIT_MS, onTask } = options;
    const endMs = clock.now() + deadlineMs;
    const task = await this.create(body, { ...options, deadlineMs });
    onTask?.(task);
    return this.wait(task, { ...options, deadlineMs: endMs - clock.now() });
  }

  /** Returns the result of a task if it has one. */
  async #check(task: TaskRef, options: CallOptions, onStatus: WaitOptions['onStatus']) {
    try {
      const status = await this.status(task, options);
      onStatus?.(status);
      if (FAILED.includes(status.status)) throw taskFailed(status);
      return status.status === 'completed' ? await this.result(task, options) : undefined;
    } catch (thrown) {
      // The video is probably there, and its cost not recorded yet: neither is lost, and nothing is submitted again.
      if (isGatewayError(thrown, 'video_billing_error')) return undefined;
      if (isGatewayError(thrown)) thrown.task ??= task;
      throw thrown;
    }
  }

  #poll<Reply>(action: string, { task_id, model }: TaskRef, options?: CallOptions): Promise<Reply> {
    const path = `/v1/videos/${encodeURIComponent(providerOf(model))}/${action}`;
    const request = { method: 'POST', path, body: { task_id }, isRepeatable: true } as const;
    return requestJson(this.#connection, request, options);
  }
}

function taskFailed({ task_id, model, status, error }: VideoStatus): GatewayError {
  const detail = error?.detail ?? `The task's status is ${status}.`;
  return new GatewayError('video_task_failed', 'Video generation failed.', {
    detail,
    task: { task_id, model },
  });
}
