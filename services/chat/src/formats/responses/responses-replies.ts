import type { ReplyFormat, ReplyIdentity } from '../../domain/caller-request';
import type { Reply } from '../../domain/reply';
import type { BilledUsage } from '../../domain/usage';
import { eventsOf } from '../reply-events';
import type { CallerTools } from './caller-tools';
import { requestMembers } from './response-json';
import { ResponseStream } from './response-stream';
import type { ResponsesBody } from './responses-schema';

/** Replies in the format of `POST /v1/responses`. */
export function responsesReplies(
  body: ResponsesBody,
  tools: CallerTools,
  includesEncrypted: boolean,
): ReplyFormat {
  const streamOf = (identity: ReplyIdentity) =>
    new ResponseStream(identity, { members: requestMembers(body), tools, includesEncrypted });
  return {
    write: (reply, usage, identity) => writeResponse(streamOf(identity), reply, usage),
    stream: streamOf,
    errorFrame: (error, identity) => streamOf(identity).fail(error),
  };
}

/** A complete response has the items that its stream would have. */
function writeResponse(stream: ResponseStream, { parts, stop }: Reply, usage: BilledUsage): Buffer {
  stream.write([...eventsOf(parts), { kind: 'stop', stop }]);
  return Buffer.from(stream.response(usage));
}
