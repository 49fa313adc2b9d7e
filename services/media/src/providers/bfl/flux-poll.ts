import { setTimeout as sleep } from 'node:timers/promises';
import { isObject, membersOf, retryAfterSeconds, textOf, UpstreamError } from '@gateway/upstream';
import { MediaRefused } from '../../domain/media-refused';
import type { Upstream } from '../../domain/upstream';
import type { ProviderCall } from '../../images/rules/image-provider';
import { brokenReply } from '../refusal';
import { type JsonReply, sendJson } from '../send-json';

export interface FluxPollOptions {
  readonly upstream: Upstream;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Time until the first poll; each wait is longer than the previous one. */
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
}

/** A poll is answered immediately, unlike an order. */
const POLL_TIMEOUT_MS = 15_000;
const GROWTH = 1.5;
/** Polls in a row without a task in the reply, after which the outcome is unknown. */
const MAX_UNREADABLE_REPLIES = 20;
/** Maximum of the wait that it requests: the task may end earlier. */
const MAX_RETRY_MS = 30_000;
/** Refusals that are temporary. */
const TRANSIENT_STATUSES = new Set([408, 425, 429]);
const MAX_REPLY_BYTES = 1024 * 1024;
/** Final states; any other state, known or not, is waited for. */
const FAILED = new Set(['Error', 'Failed', 'Task not found']);
const REFUSED = new Set(['Request Moderated', 'Content Moderated']);

/**
 * Polls a task until it ends, at most until the call is given up. Resolves to the link of its result, or undefined if it failed and
 * costs nothing.
 * @throws MediaRefused; UpstreamError `broken` when its outcome can't be determined any more
 */
export async function pollFlux(options: FluxPollOptions, call: ProviderCall): Promise<string | undefined> {
  let waitMs = options.firstWaitMs;
  for (let unreadableReplies = 0; unreadableReplies < MAX_UNREADABLE_REPLIES; ) {
    await pause(waitMs, call.signal);
    waitMs = Math.min(options.longestWaitMs, waitMs * GROWTH);
    const reply = await poll(options, call);
    if (!reply || isTransient(reply.status)) {
      // Unreachable or overloaded, for however long: the task exists and is charged.
      waitMs = Math.max(options.longestWaitMs, retryMs(reply));
      continue;
    }
    // An unknown task is a 404 with an ordinary body.
    const view = isObject(reply.value) ? reply.value : undefined;
    const status = textOf(view?.status);
    if (status === '') unreadableReplies++;
    else unreadableReplies = 0;
    if (status === 'Ready') return sampleOf(view);
    if (FAILED.has(status)) return undefined;
    if (REFUSED.has(status)) throw new MediaRefused('refused by the provider’s content policy');
  }
  throw brokenReply('the task could not be polled');
}

const isTransient = (status: number): boolean => status >= 500 || TRANSIENT_STATUSES.has(status);

function retryMs(reply: JsonReply | undefined): number {
  return Math.min(MAX_RETRY_MS, 1_000 * (retryAfterSeconds(reply?.headers['retry-after']) ?? 0));
}

/** Undefined if this poll failed. */
async function poll(
  { upstream, url, headers }: FluxPollOptions,
  call: ProviderCall,
): Promise<JsonReply | undefined> {
  const timeouts = { ...call.timeouts, firstByteMs: Math.min(call.timeouts.firstByteMs, POLL_TIMEOUT_MS) };
  try {
    return await sendJson(
      upstream,
      { method: 'GET', url, headers, maxReplyBytes: MAX_REPLY_BYTES },
      { ...call, timeouts },
    );
  } catch (error) {
    if (call.signal.aborted || !(error instanceof UpstreamError)) throw error;
    return undefined;
  }
}

function sampleOf(view: Record<string, unknown> | undefined): string {
  const sample = textOf(membersOf(view?.result).sample);
  if (!URL.canParse(sample)) throw brokenReply('a finished task without its result');
  return sample;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal });
}
