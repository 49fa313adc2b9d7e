import { GatewayError } from '@gateway/errors';
import { vertexOptions } from '@gateway/providers';
import { googleFailure } from '@gateway/upstream';
import type { ChatProvider } from '../../domain/chat-provider';
import type { Conversation } from '../../domain/conversation';
import { geminiProvider } from '../gemini/gemini-provider';
import { type VertexAccount, vertexEndpoint } from './vertex-endpoint';

/** Vertex AI may read these with the rights of our project, and so the operator's files for any caller. */
const CLOUD_STORAGE = /(^|\.)storage\.(googleapis|cloud\.google)\.com\.?$/;

/**
 * Gemini on Vertex AI. Its body is that of the Gemini API (cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference).
 * @throws Error for options or a secret of another form; does not contain the secret
 */
export function vertexProvider(account: VertexAccount): ChatProvider {
  const endpoint = vertexEndpoint(account, vertexOptions.parse(account.options ?? {}), 'google');
  // Vertex AI lists the models of a project, not those of Google.
  const { modelListing: _none, ...gemini } = geminiProvider({ ...account, apiKey: '' });
  return {
    ...gemini,
    address: ({ upstreamModel, stream }) =>
      endpoint.address(upstreamModel, stream ? 'streamGenerateContent?alt=sse' : 'generateContent'),
    writeRequest(conversation, ...call) {
      refuseCloudStorage(conversation);
      return gemini.writeRequest(conversation, ...call);
    },
    refusalOf(refused) {
      endpoint.onRefusal(refused);
      return googleFailure(refused);
    },
  };
}

/** @throws GatewayError `invalid_request` */
function refuseCloudStorage({ turns }: Conversation): void {
  for (const { parts } of turns) {
    for (const part of parts) {
      const media = part.kind === 'tool_result' ? part.parts : [part];
      if (media.some(isInCloudStorage)) {
        throw new GatewayError('invalid_request', {
          detail: 'files in Cloud Storage are not supported by this model: send their data',
        });
      }
    }
  }
}

function isInCloudStorage(part: Conversation['turns'][number]['parts'][number]): boolean {
  if (!('source' in part) || part.source.kind !== 'url') return false;
  return CLOUD_STORAGE.test(URL.parse(part.source.url)?.hostname ?? '');
}
