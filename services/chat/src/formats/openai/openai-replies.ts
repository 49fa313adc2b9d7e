import { toErrorFrame } from '@gateway/errors';
import type { ReplyFormat } from '../../domain/caller-request';
import type { Calling } from '../../domain/finish-reasons';
import { ChunkWriter } from './chunk-writer';
import { writeCompletion } from './completion-writer';
import { writeUsage } from './write-usage';

export const openAiReplies = repliesOf('tools');
/** For callers that declare `functions`. */
export const legacyReplies = repliesOf('functions');

function repliesOf(calling: Calling): ReplyFormat {
  return {
    write: (reply, usage, identity) => writeCompletion(reply, usage, identity, calling),
    stream: (identity, { includeUsage }) => new ChunkWriter(identity, includeUsage, calling),
    usage: writeUsage,
    errorFrame: (error) => toErrorFrame(error, 'data'),
  };
}
