import { textOf } from '@gateway/upstream';
import type { AddressedCall, ChatProvider, UpstreamAddress } from '../../domain/chat-provider';
import { addedInputTokens } from './added-input';
import { readAwsCredential } from './aws-credential';
import { ConverseStream } from './converse-stream';
import { readConverseUsage } from './converse-usage';
import { toServerSentEvents } from './event-stream';
import { isConverseReply, readConverse } from './read-converse';
import { readOpeningEvent } from './read-opening';
import { refusedConverse } from './refused-converse';
import { requestSigner } from './request-signer';
import { writeConverseRequest } from './write-request';

export interface BedrockAccount {
  readonly id: string;
  /** Of the runtime's endpoint. */
  readonly baseUrl: string;
  /** An API key of Bedrock, or an access key of AWS as JSON (`readAwsCredential`). */
  readonly apiKey: string;
  /** `region`, for which requests are signed. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Characters of a model's id that `encodeURIComponent` keeps, and a signature does not. */
const UNESCAPED = /[!'()*]/g;

/**
 * An account at AWS Bedrock, called by its Converse API. No caller uses its format, so every call is translated. The models of
 * an account are listed by another host, the control plane, with other permissions, so they are not listed here.
 * @throws Error for a credential of another form, or without a region
 */
export function bedrockProvider({
  id,
  baseUrl,
  apiKey,
  options,
  headers: own,
}: BedrockAccount): ChatProvider {
  const region = textOf(options?.region);
  if (region === '') throw new Error('options.region is missing');
  const models = `${baseUrl.replace(/\/+$/, '')}/model`;
  return {
    id,
    wire: 'bedrock',
    // Most calls go to Claude's models.
    encoding: 'claude',
    maxTokensField: 'max_tokens',
    writesLongCache: true,
    address: addressOf(models, region, apiKey, own),
    toEvents: toServerSentEvents,
    writeRequest: writeConverseRequest,
    addedInputTokens,
    isReply: isConverseReply,
    readUsage: ({ usage }) => readConverseUsage(usage),
    readReply: readConverse,
    readStream: () => new ConverseStream(),
    readOpening: readOpeningEvent,
    refusalOf: refusedConverse,
  };
}

function addressOf(
  models: string,
  region: string,
  secret: string,
  own: BedrockAccount['headers'],
): ChatProvider['address'] {
  const credential = readAwsCredential(secret);
  const headersOf = ({ stream }: AddressedCall) => ({
    ...own,
    'content-type': 'application/json',
    accept: stream ? 'application/vnd.amazon.eventstream' : 'application/json',
  });
  if (credential.kind === 'api_key') {
    const authorization = `Bearer ${credential.apiKey}`;
    return (call) => ({ url: urlOf(models, call), headers: { ...headersOf(call), authorization } });
  }
  const sign = requestSigner(credential, region);
  return async (call): Promise<UpstreamAddress> => {
    const url = urlOf(models, call);
    return { url, headers: await sign(url, headersOf(call), call.body) };
  };
}

/** The id may be an ARN, which contains colons and slashes. */
function urlOf(models: string, { upstreamModel, stream }: AddressedCall): URL {
  const id = encodeURIComponent(upstreamModel).replace(
    UNESCAPED,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return new URL(`${models}/${id}/${stream ? 'converse-stream' : 'converse'}`);
}
