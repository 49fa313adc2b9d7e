import { GatewayError } from '@gateway/errors';
import { leaseAll, type Quota, type SingleFlightCache } from '@gateway/quota';
import type { RequestContext } from '@gateway/rpc';
import { failureOf, timeoutsOfProvider, toGatewayError } from '@gateway/upstream';
import type { UpstreamTimeouts } from '../domain/upstream';
import type { ProviderCall } from '../images/rules/image-provider';
import { accountsOfTask, pollTask, type VideoAccount, type VideoProviders } from './poll-task';
import type { GeneratedVideo, VideoContent } from './rules/video-provider';
import type { VideoTask } from './rules/video-task';

export interface VideoStatusClientDeps {
  readonly providers: Pick<VideoProviders, 'accountsOf'>;
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
  isGuarded({ provider: id }: VideoTask): boolean {
    return this.#deps.providers.accountsOf(id).some(({ provider }) => provider.openContent);
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
    const accounts = this.#accountsOf(task);
    if (!video || !this.isGuarded(task)) throw new GatewayError('not_found');
    const call = { requestId, signal, timeouts: this.#deps.fileTimeouts };
    return withGatewayErrors(openContent(accounts, video.url, call));
  }

  async #query(requestId: string, task: VideoTask): Promise<readonly GeneratedVideo[]> {
    const { timeouts } = this.#deps;
    const { signal } = new AbortController();
    const report = await withGatewayErrors(
      pollTask(this.#accountsOf(task), task, { requestId, signal, timeouts }),
    );
    if (report.state === 'completed' && report.videos) return report.videos;
    throw new GatewayError('not_found', { detail: 'the provider no longer keeps this video' });
  }

  #accountsOf(task: VideoTask): readonly VideoAccount[] {
    const accounts = accountsOfTask(this.#deps.providers, task);
    if (accounts.length > 0) return accounts;
    throw new GatewayError('upstream_unavailable', {
      cause: new Error(`provider ${task.provider} is not configured`),
    });
  }
}

/** Opens a file with the first account that may read it. @throws UpstreamError the failure of the last account */
async function openContent(
  accounts: readonly VideoAccount[],
  url: string,
  call: ProviderCall,
): Promise<VideoContent> {
  let failure: unknown;
  for (const { provider } of accounts) {
    try {
      const timeouts = timeoutsOfProvider(call.timeouts, provider.connection);
      const content = await provider.openContent?.(url, { ...call, timeouts });
      if (content) return content;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
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
