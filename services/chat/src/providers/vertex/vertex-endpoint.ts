import type { ChatProvider, RefusedResponse } from '../../domain/chat-provider';
import { withBearer } from '../cloud-auth/with-bearer';
import { googleCredential } from './google-credential';

export interface VertexAccount {
  readonly id: string;
  readonly baseUrl: string;
  /** The JSON key of a service account, `adc`, or an API key of the express mode. */
  readonly apiKey: string;
  /** `vertexOptions` or `vertexAnthropicOptions`. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface VertexEndpoint {
  /** @param call the model's method, with its query */
  address(
    model: string,
    call: string,
    headers?: Readonly<Record<string, string>>,
  ): ReturnType<ChatProvider['address']>;
  /** Called for each refusal: a rejected token is not used again. */
  onRefusal(refused: RefusedResponse): void;
}

/**
 * Returns the models of a publisher on Vertex AI.
 * @throws Error without the secret if the credential can't be used
 */
export function vertexEndpoint(
  { baseUrl, apiKey, headers: ownHeaders }: VertexAccount,
  { project, location }: { readonly project?: string | undefined; readonly location: string },
  publisher: 'google' | 'anthropic',
): VertexEndpoint {
  const credential = googleCredential(apiKey, baseUrl);
  const isExpress = 'apiKey' in credential;
  if (isExpress && publisher !== 'google') throw new Error('the secret is not the key of a service account');
  if (!isExpress && project === undefined) throw new Error('options.project: required by this credential');
  const owner = isExpress ? '' : `/projects/${project}/locations/${location}`;
  const models = `${baseUrl.replace(/\/+$/, '')}/v1${owner}/publishers/${publisher}/models`;
  return {
    address(model, call, more) {
      // Versions are written with an at sign, as in the documentation.
      const name = encodeURIComponent(model).replaceAll('%40', '@');
      const url = new URL(`${models}/${name}:${call}`);
      const headers = { ...ownHeaders, ...more, 'content-type': 'application/json' };
      // Not in the URL, which would appear in logs.
      if (isExpress) return { url, headers: { ...headers, 'x-goog-api-key': credential.apiKey } };
      return withBearer(credential.tokens, { url, headers });
    },
    onRefusal({ status }) {
      if (status === 401 && !isExpress) credential.tokens.forget();
    },
  };
}
