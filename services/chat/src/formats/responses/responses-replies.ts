import type { ReplyFormat, ReplyIdentity } from '../../domain/caller-request';
import type { Reply } from '../../domain/reply';
import type { BilledUsage } from '../../domain/usage';
import { eventsOf } from '../reply-events';
import { requestMembers, responseJson, writeUsage } from './response-json';
import { type ResponseOptions, ResponseStream } from './response-stream';

export interface ResponsesReplies extends ReplyFormat {
  /** The reply that was written last. */
  readonly last: ResponseStream | undefined;
  /** Returns the JSON of a response that has not begun. */
  queued(identity: ReplyIdentity): string;
}

/** Replies in the format of `POST /v1/responses`. */
export function responsesReplies(options: ResponseOptions): ResponsesReplies {
  let last: ResponseStream | undefined;
  const streamOf = (identity: ReplyIdentity) => {
    last = new ResponseStream(identity, options);
    return last;
  };
  return {
    write: (reply, usage, identity) => writeResponse(streamOf(identity), reply, usage),
    stream: streamOf,
    usage: writeUsage,
    errorFrame: (error, identity) => streamOf(identity).fail(error),
    get last() {
      return last;
    },
    queued: (identity) =>
      responseJson(identity, requestMembers(options.body, options.isStored), {
        status: 'queued',
        output: [],
      }),
  };
}

/** A complete response has the items that its stream would have. */
function writeResponse(stream: ResponseStream, { parts, stop }: Reply, usage: BilledUsage): Buffer {
  stream.write([...eventsOf(parts), { kind: 'stop', stop }]);
  return Buffer.from(stream.response(usage));
}
