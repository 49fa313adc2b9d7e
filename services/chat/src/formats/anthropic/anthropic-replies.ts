import { toErrorFrame } from '@gateway/errors';
import type { ReplyFormat } from '../../domain/caller-request';
import { writeUsage } from './message-json';
import { MessageStream } from './message-stream';
import { writeMessage } from './reply-writer';

/** Replies in the format of `POST /v1/messages`. */
export const anthropicReplies: ReplyFormat = {
  write: writeMessage,
  stream: (identity, { estimatedInput }) => new MessageStream(identity, estimatedInput),
  usage: writeUsage,
  errorFrame: (error) => toErrorFrame(error, 'event'),
  // As Anthropic's API sends it: some proxies and clients wait for events, not for comments.
  keepAlive: 'event: ping\ndata: {"type":"ping"}\n\n',
};
