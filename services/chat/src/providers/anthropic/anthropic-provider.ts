import type { Quota } from '@gateway/quota';
import type { JsonObject } from '@gateway/upstream';
import type { ChatProvider } from '../../domain/chat-provider';
import { ANTHROPIC_TOOL_NAMES } from '../../domain/tool-names';
import { readModels } from '../endpoint-models';
import { ModelNameRewriter } from '../model-name-rewriter';
import { addedInputTokens } from './added-input';
import { fromMessagesUsage } from './anthropic-usage';
import { withoutBillingMember } from './billing-member';
import { fitCallId, keepsCallIds } from './call-ids';
import { MessageEvents } from './message-events';
import { messageFraming } from './message-framing';
import { PassThroughMessages } from './pass-through-messages';
import { readMessage } from './read-message';
import { readOpeningEvent } from './read-opening';
import { refusedMessages } from './refused-messages';
import { repairedMessage } from './repair-message';
import { writeRequest } from './write-request';

/** The gateway writes requests of this version; the later one has no sampling parameters. */
const OWN_VERSION = '2023-06-01';

/**
 * Of one search. Anthropic documents no maximum; its own example of a search has about 7,000 (platform.claude.com, "Web search
 * tool").
 */
const SEARCH_RESULT_TOKENS = 10_000;

export interface AnthropicAccount {
  readonly id: string;
  /** Without `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** `preset` names another server of this format. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
}

export function anthropicProvider(
  { id, baseUrl, apiKey, headers, options }: AnthropicAccount,
  bufferQuota: Quota,
): ChatProvider {
  const api = `${baseUrl.replace(/\/+$/, '')}/v1`;
  const url = new URL(`${api}/messages`);
  const models = new URL(`${api}/models?limit=1000`);
  const keepsIds = (upstreamModel?: string) => keepsCallIds(baseUrl, options?.preset, upstreamModel);
  return {
    id,
    wire: 'anthropic',
    encoding: 'claude',
    maxTokensField: 'max_tokens',
    toolLimits: {
      names: ANTHROPIC_TOOL_NAMES,
      flatParameters: true,
      fitId: (id, upstreamModel) => (keepsIds(upstreamModel) ? id : fitCallId(id)),
    },
    webSearch: { resultTokens: SEARCH_RESULT_TOKENS },
    address({ callerHeaders }) {
      const beta = callerHeaders['anthropic-beta'];
      return {
        url,
        headers: {
          ...headers,
          'x-api-key': apiKey,
          'content-type': 'application/json',
          'anthropic-version': callerHeaders['anthropic-version'] ?? OWN_VERSION,
          ...(beta !== undefined && { 'anthropic-beta': beta }),
        },
      };
    },
    writeRequest: (conversation, upstreamModel, ...limits) =>
      writeRequest(conversation, upstreamModel, ...limits, keepsIds(upstreamModel)),
    ...(options?.preset !== undefined && {
      passThroughMembers: ({ system }: JsonObject) => withoutBillingMember(system),
    }),
    addedInputTokens,
    isReply: ({ type, content }) => type === 'message' && Array.isArray(content),
    readUsage: (message) => fromMessagesUsage(message.usage),
    readReply: readMessage,
    readStream: () => new MessageEvents(),
    framing: messageFraming,
    readOpening: readOpeningEvent,
    passReply({ bytes, value }, model) {
      const repaired = repairedMessage(value);
      return repaired === value
        ? new ModelNameRewriter(model).inReply(bytes)
        : Buffer.from(JSON.stringify({ ...repaired, model }));
    },
    passStream: (options) => new PassThroughMessages(bufferQuota, options),
    refusalOf: refusedMessages,
    modelListing: {
      address: () => ({
        url: models,
        headers: { ...headers, 'x-api-key': apiKey, 'anthropic-version': OWN_VERSION },
      }),
      read: ({ data }) =>
        readModels(data, ({ id: modelId, display_name }) => ({ id: modelId, name: display_name })),
    },
  };
}
