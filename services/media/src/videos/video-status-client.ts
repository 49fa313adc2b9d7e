import { GatewayError } from '@gateway/errors';
import { leaseAll, type Quota, type SingleFlightCache } from '@gateway/quota';
import type { RequestContext } from '@gateway/rpc';
import { failureOf, toGatewayError } from '@gateway/upstream';
import type { UpstreamTimeouts } from '../domain/upstream';
import type { GeneratedVideo, VideoContent, VideoProvider } from './rules/video-provider';
import type { VideoTask } from './rules/video-task';

export interface VideoStatusClientDeps {
  readonly providers: ReadonlyMap<string, VideoProvider>;
  /** Independent of the callers: a query continues when one of its callers disconnects. */
  readonly timeouts: UpstreamTimeouts & { readonly totalMs: number };
  /** For a file being sent, which takes as long as its reader needs. */
  readonly fileTimeouts: UpstreamTimeouts;
  readonly results: SingleFlightCache<readonly GeneratedVideo[]>;
  /** Bound the queries in flight: those to one provider, and one account's part of these. */
  readonly queries: { readonly ofProvider: Quota; readonly ofAccount: Quota };
}

/** Queries the provider of a finished task for its results. */
export class VideoStatusClient {
  readonly #deps: VideoStatusClientDeps;

  constructor(deps: VideoStatusClientDeps) {
    this.#deps = deps;
  }

  /** Whether its links require our credential. */
  isGuarded({ provider }: VideoTask): boolean {
    return this.#deps.providers.get(provider)?.openContent !== undefined;
  }

  /**
   * Returns the results as the provider has just reported them, to this caller or another one.
   * @throws GatewayError how the provider failed; `not_found` when it no longer keeps the video; `rate_limited`
   */
  videosOf({ requestId }: RequestContext, task: VideoTask): Promise<readonly GeneratedVideo[]> {
    const { results, queries } = this.#deps;
    return results.get(task.id, async () => {
      const release = leaseAll([
        [queries.ofAccount, `${task.provider} ${task.accountId}`, 1],
        [queries.ofProvider, task.provider, 1],
      ]);
      try {
        return await this.#query(requestId, task);
      } finally {
        release();
      }
    });
  }

  /** Opens the file of a provider whose links require our credential. @throws GatewayError */
  async open(context: RequestContext, task: VideoTask, index: number): Promise<VideoContent> {
    const { requestId, signal } = context;
    const video = (await this.videosOf(context, task))[index];
    const provider = this.#providerOf(task);
    if (!video || !provider.openContent) throw new GatewayError('not_found');
    return withGatewayErrors(
      provider.openContent(video.url, { requestId, signal, timeouts: this.#deps.fileTimeouts }),
    );
  }

  async #query(requestId: string, task: VideoTask): Promise<readonly GeneratedVideo[]> {
    const { timeouts } = this.#deps;
    const { signal } = new AbortController();
    const report = await withGatewayErrors(
      this.#providerOf(task).poll(task, { requestId, signal, timeouts }),
    );
    if (report.state === 'completed' && report.videos) return report.videos;
    throw new GatewayError('not_found', { detail: 'the provider no longer keeps this video' });
  }

  #providerOf({ provider }: VideoTask): VideoProvider {
    const found = this.#deps.providers.get(provider);
    if (found) return found;
    throw new GatewayError('upstream_unavailable', {
      cause: new Error(`provider ${provider} is not configured`),
    });
  }
}

const RESULT_REUSE_MS = 5_000;
const MIN_LINK_LIFETIME_MS = 60_000;

/** How long a result is reused: not at all when one of its links expires soon. */
export function reuseMs(videos: readonly GeneratedVideo[], nowMs: number): number {
  const lasting = videos.every(({ expiresAtMs = Infinity }) => expiresAtMs - nowMs > MIN_LINK_LIFETIME_MS);
  return lasting ? RESULT_REUSE_MS : 0;
}

async function withGatewayErrors<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof GatewayError ? error : toGatewayError(failureOf(error));
  }
}
