import { azureOptions } from '@gateway/providers';
import { UpstreamError } from '@gateway/upstream';
import type { AudioProvider } from '../../audio/rules/audio-provider';
import type { Upstream } from '../../domain/upstream';
import { audioAt } from '../openai/openai-audio';
import type { ProviderAccount } from '../provider-account';

/**
 * The audio API of an Azure OpenAI resource. Its v1 API has the deployment in the body's `model`; dated versions have it in the URL and
 * ignore the body's.
 * @throws Error for invalid options
 */
export function azureAudio(
  { id, baseUrl, apiKey, options = {} }: ProviderAccount,
  upstream: Upstream,
): AudioProvider {
  const { api_version: version, deployments } = azureOptions.parse(options);
  const api = `${baseUrl.replace(/\/+$/, '').replace(/\/openai(\/v1)?$/, '')}/openai`;
  const deploymentOf = (model: string) =>
    Object.hasOwn(deployments, model) ? (deployments[model] ?? model) : model;
  const { speak, transcribe } = audioAt(
    {
      id,
      headers: { 'api-key': apiKey },
      urlOf: (path, deployment) =>
        version === 'v1'
          ? new URL(`${api}/v1/audio/${path}`)
          : new URL(
              `${api}/deployments/${encodeURIComponent(deployment)}/audio/${path}?api-version=${version}`,
            ),
    },
    upstream,
  );
  const checked = <Order extends { readonly upstreamModel: string }>(order: Order): Order => {
    // The JSON of a service principal, whose tokens only chat requests.
    if (apiKey.trimStart().startsWith('{')) throw new UpstreamError({ kind: 'status', status: 403 });
    return { ...order, upstreamModel: deploymentOf(order.upstreamModel) };
  };
  return {
    id,
    speak: async (order, call) => speak(checked(order), call),
    transcribe: async (order, call) => transcribe(checked(order), call),
  };
}
