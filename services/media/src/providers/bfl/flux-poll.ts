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
  /** Until the first look; each wait is longer than the one before. */
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
}

/** A look is answered at once, unlike an order. */
const LOOK_TIMEOUT_MS = 15_000;
const GROWTH = 1.5;
/** Looks in a row that were answered, and not with a task, after which nobody knows what became of it. */
const MAX_BLIND_LOOKS = 20;
/** Of what it asks for: the task may be over before. */
const MAX_RETRY_MS = 30_000;
/** Of refusals those that pass. */
const PASSING = new Set([408, 425, 429]);
const MAX_REPLY_BYTES = 1024 * 1024;
/** Of words that are no end it may have more than are known: what is not listed here is waited for. */
const FAILED = new Set(['Error', 'Failed', 'Task not found']);
const REFUSED = new Set(['Request Moderated', 'Content Moderated']);

/**
 * Looks at a task until it is over, at most until the call is given up. Resolves to the link of its result, or
 * undefined when it failed and costs nothing.
 * @throws MediaRefused; UpstreamError `broken` when it can't be told any more
 */
export async function pollFlux(options: FluxPollOptions, call: ProviderCall): Promise<string | undefined> {
  let waitMs = options.firstWaitMs;
  for (let blindLooks = 0; blindLooks < MAX_BLIND_LOOKS; ) {
    await pause(waitMs, call.signal);
    waitMs = Math.min(options.longestWaitMs, waitMs * GROWTH);
    const reply = await look(options, call);
    if (!reply || isPassing(reply.status)) {
      // Out of reach or overloaded, for as long as it may take: the task is there all the same, and paid for.
      waitMs = Math.max(options.longestWaitMs, retryMs(reply));
      continue;
    }
    // A task that is not there is a 404 with a view like any other's.
    const view = isObject(reply.value) ? reply.value : undefined;
    const status = textOf(view?.status);
    if (status === '') blindLooks++;
    else blindLooks = 0;
    if (status === 'Ready') return sampleOf(view);
    if (FAILED.has(status)) return undefined;
    if (REFUSED.has(status)) throw new MediaRefused('refused by the provider’s content policy');
  }
  throw brokenReply('the task could not be looked at');
}

const isPassing = (status: number): boolean => status >= 500 || PASSING.has(status);

function retryMs(reply: JsonReply | undefined): number {
  return Math.min(MAX_RETRY_MS, 1_000 * (retryAfterSeconds(reply?.headers['retry-after']) ?? 0));
}

/** Undefined when it could not be seen this time. */
async function look(
  { upstream, url, headers }: FluxPollOptions,
  call: ProviderCall,
): Promise<JsonReply | undefined> {
  const timeouts = { ...call.timeouts, firstByteMs: Math.min(call.timeouts.firstByteMs, LOOK_TIMEOUT_MS) };
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
