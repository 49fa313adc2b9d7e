import { GatewayError } from '@gateway/errors';
import type { LinkHandler } from '@gateway/link';
import type { Quota } from '@gateway/quota';
import { type Pace, pacedBody } from '../calls/paced-body';
import type { VideoTask } from '../videos/rules/video-task';
import type { VideoLinks } from '../videos/video-links';
import type { VideoStatusClient } from '../videos/video-status-client';

export interface GetVideoFileDeps {
  readonly links: VideoLinks;
  readonly statusClient: Pick<VideoStatusClient, 'open'>;
  readonly findTask: (id: string) => Promise<VideoTask | undefined>;
  /** Limits the files being sent, in all and per account. */
  readonly files: Quota;
  /** Minimum rate at which a file is read, so that a slow reader does not block others. */
  readonly pace: Pace;
}

/** Handles `GET /v1/videos/files/{token}`: anyone with the link may read the file, which passes through this process. */
export function getVideoFile({ links, statusClient, findTask, files, pace }: GetVideoFileDeps): LinkHandler {
  return async ({ requestId, signal: left, log }, call) => {
    const link = links.read(call.path);
    const task = link && (await findTask(link.taskId));
    if (!link || task?.state !== 'completed') throw new GatewayError('not_found');
    const release = files.lease(task.accountId);
    const slow = new AbortController();
    try {
      const signal = AbortSignal.any([left, slow.signal]);
      const { mime, bytes, body } = await statusClient.open({ requestId, signal, log }, task, link.index);
      return {
        status: 200,
        headers: { 'content-type': mime, ...(bytes !== undefined && { 'content-length': String(bytes) }) },
        body: pacedBody({ body, pace, onSlow: () => slow.abort(), onOver: release }),
      };
    } catch (error) {
      release();
      throw error;
    }
  };
}
