import { GatewayError } from '@gateway/proto';
import type { LinkHandler } from '@gateway/runtime';
import type { VideoTask } from '../domain/video-task';
import type { VideoLinks } from './video-links';
import type { VideoLooker } from './video-looker';

export interface GetVideoFileDeps {
  readonly links: VideoLinks;
  readonly looker: VideoLooker;
  readonly findTask: (id: string) => Promise<VideoTask | undefined>;
  /** Files that may be on their way at a time. */
  readonly maxFiles: number;
}

const BUSY_RETRY_SECONDS = 5;

/** `GET /v1/videos/files/{token}`: whoever has the link may have the file, which goes through this process. */
export function getVideoFile({ links, looker, findTask, maxFiles }: GetVideoFileDeps): LinkHandler {
  let files = 0;
  return async (context, call) => {
    const link = links.read(call.path);
    const task = link && (await findTask(link.taskId));
    if (!link || task?.state !== 'completed') throw new GatewayError('not_found');
    if (files >= maxFiles) throw new GatewayError('rate_limited', { retryAfterSeconds: BUSY_RETRY_SECONDS });
    files++;
    try {
      const { mime, bytes, body } = await looker.open(context, task, link.index);
      return {
        status: 200,
        headers: { 'content-type': mime, ...(bytes !== undefined && { 'content-length': String(bytes) }) },
        body: counted(body, () => files--),
      };
    } catch (error) {
      files--;
      throw error;
    }
  };
}

async function* counted(body: AsyncIterable<Buffer>, over: () => void): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } finally {
    over();
  }
}
