import type { Quota } from '@gateway/quota';
import { type JsonObject, listOf, membersOf, textOf, UpstreamError } from '@gateway/upstream';
import type { ChatProvider, OpeningEvent, ResponsesApi } from '../../../domain/chat-provider';
import { TokenCounter } from '../../../domain/token-count';
import { shortenToolId } from '../../../domain/tool-ids';
import { COMMON_TOOL_NAMES } from '../../../domain/tool-names';
import { failureInBody } from '../../refusal';
import { serviceTierOf } from '../openai-usage';
import type { OpenAiQuirks, ResponsesQuirks } from '../quirks';
import { refusedCompletion } from '../refused-completion';
import { EFFORT_EXCLUDES_TOOLS } from '../write-request';
import { boundInput, countInput } from './count-input';
import { PassThroughResponse } from './pass-through-response';
import { PassedResponse } from './passed-response';
import { ResponseEventReader, readResponse } from './read-response';
import { responseMembers } from './request-members';
import { responseFraming } from './response-framing';
import { textsOf } from './response-text';
import { fromResponseUsage } from './response-usage';
import { writeResponseRequest } from './write-request';

/** OpenAI's limit for a `call_id`. */
const MAX_CALL_ID_CHARS = 64;

interface ResponsesAccount {
  readonly address: ResponsesApi['address'];
  /** Of its compactions. */
  readonly compactAddress: ResponsesApi['address'];
  /** Of the same account, for chat completions. */
  readonly writeChatRequest: ChatProvider['writeRequest'];
  readonly quirks: OpenAiQuirks;
  readonly responses: ResponsesQuirks;
  readonly countsByO200k: boolean;
  readonly bufferQuota: Quota;
}

/** What one search adds to the input at most, which the provider bills; an assumption, for no maximum is documented. */
const SEARCH_RESULT_TOKENS = 10_000;

/** A provider's Responses API, which `responses` describes. @param account name to which encrypted content is tied */
export function responsesApi(
  {
    address,
    compactAddress,
    writeChatRequest,
    quirks,
    responses,
    countsByO200k,
    bufferQuota,
  }: ResponsesAccount,
  account: string,
): ResponsesApi {
  return {
    // Where it deviates, nothing passes through.
    wire: responses.onlyForSearch ? 'xai' : 'responses',
    webSearch: { resultTokens: SEARCH_RESULT_TOKENS },
    address,
    ...(quirks.limitsTools && {
      toolLimits: {
        names: COMMON_TOOL_NAMES,
        flatParameters: quirks.flatParameters,
        fitId: shortenToolId(MAX_CALL_ID_CHARS),
      },
    }),
    writeRequest(conversation, upstreamModel, maxOutputTokens, capabilities) {
      // A limit of chat completions only.
      const able = new Set(capabilities);
      able.delete(EFFORT_EXCLUDES_TOOLS);
      const chat = JSON.parse(
        writeChatRequest(conversation, upstreamModel, maxOutputTokens, able).toString('utf8'),
      );
      return writeResponseRequest(conversation, chat, responses);
    },
    readReply: readResponse,
    readStream: () => new ResponseEventReader(),
    passThroughMembers: (body, capabilities) => responseMembers(body, capabilities, quirks, account),
    isReply: ({ output, status }) =>
      Array.isArray(output) && (status === 'completed' || status === 'incomplete'),
    readUsage: fromResponseUsage,
    readServiceTier: serviceTierOf,
    passReply: ({ value }, _model, to) =>
      Buffer.from(JSON.stringify(new PassedResponse(to, account).response(value))),
    framing: responseFraming,
    readOpening,
    passStream: ({ chargedNano, completedUsage }, to) =>
      new PassThroughResponse({ chargedNano, completedUsage, to, account, bufferQuota }),
    boundInput: countsByO200k ? boundInput : undefined,
    countInput,
    countReply(reply) {
      const counter = new TokenCounter();
      for (const text of textsOf(reply)) counter.addText(text);
      return counter.tokens;
    },
    ...(responses.compacts && {
      compaction: {
        address: compactAddress,
        isReply: ({ output }) => Array.isArray(output),
        passReply: ({ value }, _model, to) =>
          Buffer.from(JSON.stringify(new PassedResponse(to, account).compaction(value))),
        countReply: estimateCompaction,
      },
    }),
  };
}

/** Bytes of base64 for a token of four bytes. */
const ENCRYPTED_BYTES_PER_TOKEN = 16 / 3;

/** Estimates the tokens of what the provider has encrypted. The messages beside it are the caller's. */
function estimateCompaction({ output }: JsonObject): number {
  const bytes = listOf(output).reduce<number>(
    (sum, item) => sum + textOf(membersOf(item).encrypted_content).length,
    0,
  );
  return Math.ceil(bytes / ENCRYPTED_BYTES_PER_TOKEN);
}

/** @throws UpstreamError when the provider reports that the response failed */
function readOpening({ type, item, response }: JsonObject): OpeningEvent {
  switch (type) {
    case 'response.failed': {
      const { error } = membersOf(response);
      const failure = failureInBody({ refusalOf: refusedCompletion }, { type: 'error', error });
      throw new UpstreamError(failure ?? { kind: 'status', status: 500 });
    }
    case 'response.completed':
    case 'response.incomplete':
      return 'ended';
    case 'response.output_item.added':
      return ['message', 'reasoning'].includes(textOf(membersOf(item).type)) ? 'waiting' : 'content';
    default:
      return textOf(type).endsWith('.delta') ? 'content' : 'waiting';
  }
}
