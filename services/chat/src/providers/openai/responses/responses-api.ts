import type { Quota } from '@gateway/quota';
import { type JsonObject, membersOf, textOf, UpstreamError } from '@gateway/upstream';
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
  { address, writeChatRequest, quirks, responses, countsByO200k, bufferQuota }: ResponsesAccount,
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
  };
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
