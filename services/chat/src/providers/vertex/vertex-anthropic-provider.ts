import { GatewayError } from '@gateway/errors';
import { vertexAnthropicOptions } from '@gateway/providers';
import type { Quota } from '@gateway/quota';
import { googleFailure, listOf, membersOf } from '@gateway/upstream';
import type { ChatProvider } from '../../domain/chat-provider';
import { writeMembers } from '../../json/write-members';
import { anthropicProvider } from '../anthropic/anthropic-provider';
import { withoutBillingMember } from '../anthropic/billing-member';
import { refusedMessages } from '../anthropic/refused-messages';
import { messagesBody } from '../anthropic/write-request';
import { acceptedBetas } from './accepted-betas';
import { type VertexAccount, vertexEndpoint } from './vertex-endpoint';

/** Of the API; it is in the body (platform.claude.com, "Claude on Vertex AI"). */
const VERSION = 'vertex-2023-10-16';

/**
 * Claude on Vertex AI: the body of Anthropic's API with `anthropic_version` and without `model`.
 * @throws Error for options or a secret of another form; does not contain the secret
 */
export function vertexAnthropicProvider(account: VertexAccount, bufferQuota: Quota): ChatProvider {
  const endpoint = vertexEndpoint(account, vertexAnthropicOptions.parse(account.options ?? {}), 'anthropic');
  const { modelListing: _none, ...anthropic } = anthropicProvider({ ...account, apiKey: '' }, bufferQuota);
  return {
    ...anthropic,
    address({ upstreamModel, stream, callerHeaders }) {
      const betas = acceptedBetas(callerHeaders['anthropic-beta']);
      // The body member `anthropic_beta` has no effect (litellm#22321).
      const headers = betas === undefined ? {} : { 'anthropic-beta': betas };
      return endpoint.address(upstreamModel, stream ? 'streamRawPredict' : 'rawPredict', headers);
    },
    writeRequest(...call) {
      const { model: _inUrl, ...body } = messagesBody(...call);
      refuseUrls(body.messages);
      return Buffer.from(writeMembers({ anthropic_version: VERSION, ...body }));
    },
    passThroughMembers({ messages, system }) {
      refuseUrls(messages);
      return new Map([
        ...withoutBillingMember(system),
        ['model', undefined],
        ['anthropic_version', JSON.stringify(VERSION)],
      ]);
    },
    refusalOf(refused) {
      endpoint.onRefusal(refused);
      return googleFailure(refused) ?? refusedMessages(refused);
    },
  };
}

/** @throws GatewayError `invalid_request` for a file by URL, which Vertex AI does not fetch (anthropic-sdk-typescript#1038) */
function refuseUrls(messages: unknown): void {
  for (const [index, message] of listOf(messages).entries()) {
    const at = listOf(membersOf(message).content).findIndex(hasUrl);
    if (at === -1) continue;
    const detail = `messages[${index}].content[${at}]: files by URL are not supported by this model`;
    throw new GatewayError('invalid_request', { detail });
  }
}

/** Also within the result of a tool. */
function hasUrl(block: unknown): boolean {
  const { source, content } = membersOf(block);
  return membersOf(source).type === 'url' || listOf(content).some(hasUrl);
}
