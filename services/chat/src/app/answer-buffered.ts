import { GatewayError } from '@gateway/errors';
import type { LinkReply } from '@gateway/link';
import { costHeader } from '@gateway/money';
import type { Quota } from '@gateway/quota';
import type { RequestContext } from '@gateway/rpc';
import type { TargetHealth } from '@gateway/upstream';
import { ReplyMemory, ReplyTooLarge } from '../domain/reply-memory';
import type { Route } from '../domain/route';
import { releasedWhenRead } from './released-when-read';

export interface AnswerBufferedDeps {
  readonly health: Pick<TargetHealth, 'recordBrokenReply' | 'recordCompleteReply'>;
  /** Memory for replies that are not streams. */
  readonly replyMemory: Quota;
}

/** A reply that is not a stream. */
export interface BufferedReply {
  readonly route: Route;
  readonly accountId: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Reads the reply, settles the call and returns what the client gets. */
  readAndSettle(memory: ReplyMemory): Promise<SettledReply>;
  /** Settles a reply that is too large to be read. The provider charges for it, and the client must not get it for free. */
  settleUnread(): Promise<void>;
}

export interface SettledReply {
  readonly body: Buffer;
  /** What the account is charged. */
  readonly costNano: bigint;
}

/** Counts an unreadable reply as a failure of its target, unless the gateway had no memory for it. */
export async function answerBuffered(
  { health, replyMemory }: AnswerBufferedDeps,
  { signal }: RequestContext,
  reply: BufferedReply,
): Promise<LinkReply> {
  const { route, accountId } = reply;
  const memory = new ReplyMemory(replyMemory, accountId);
  try {
    const { body, costNano } = await reply.readAndSettle(memory);
    health.recordCompleteReply(route);
    const headers = {
      'content-type': 'application/json',
      'content-length': String(body.length),
      ...reply.headers,
      ...costHeader(costNano),
    };
    return {
      status: 200,
      headers,
      body: memory.bytes === 0 ? body : releasedWhenRead(body, () => memory.release()),
    };
  } catch (error) {
    memory.release();
    if (!(error instanceof GatewayError) && !signal.aborted) health.recordBrokenReply(route);
    if (error instanceof ReplyTooLarge) await reply.settleUnread();
    throw error;
  }
}
