import type { LinkHandler } from '@gateway/link';
import type { AnswerResponse } from '../app/answer-response';
import { parseCompaction } from '../formats/responses/compaction';
import type { ResponsesOptions } from '../formats/responses/responses-request';

/** `POST /v1/responses/compact`. Compactions are not stored: the next call sends their output. */
export const compactResponse =
  (answer: AnswerResponse, options: ResponsesOptions): LinkHandler =>
  (context, call) =>
    answer(context, call, parseCompaction(call.body, options));
