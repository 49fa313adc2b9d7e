import { Quota } from '@gateway/quota';
import type { CallerRequest } from '../domain/caller-request';
import type { ChatProvider } from '../domain/chat-provider';
import type { Model } from '../domain/model';
import type { Route } from '../domain/route';
import { parseMessagesRequest } from '../formats/anthropic/messages-request';
import { parseGenerateContent } from '../formats/gemini/gemini-request';
import { parseChatRequest } from '../formats/openai/chat-request';
import { parseResponsesRequest } from '../formats/responses/responses-request';
import { KINDS } from '../providers/connect-provider';
import { upstreamBody } from './upstream-body';

const bufferQuota = new Quota({ limit: 1_000_000 });

/** Connects a provider of a kind, as the catalog does. */
export function providerOf(
  kind: keyof typeof KINDS,
  options: Readonly<Record<string, unknown>> = {},
  apiKey = 'k',
): ChatProvider {
  const baseUrl = 'https://provider.invalid/v1';
  return KINDS[kind]({ id: kind, baseUrl, apiKey, options }, bufferQuota);
}

/** Calls of every caller format, without what the test gives. */
export const CALLS = {
  chat: (body: object): CallerRequest => parseChatRequest(bytesOf({ model: 'a/b', ...body })),
  responses: (body: object): CallerRequest =>
    parseResponsesRequest(bytesOf({ model: 'a/b', ...body })).withItems(),
  messages: (body: object): CallerRequest =>
    parseMessagesRequest(bytesOf({ model: 'a/b', max_tokens: 1_000, ...body }), {}),
  generateContent: (body: object, stream = false): CallerRequest =>
    parseGenerateContent(bytesOf(body), { model: 'a/b', stream }),
} as const;

const bytesOf = (body: object): Buffer => Buffer.from(JSON.stringify(body));

/** Returns the body that the provider receives. */
export function receivedBy(
  provider: ChatProvider,
  request: CallerRequest,
  capabilities: readonly string[] = [],
  upstreamModel = 'upstream-model',
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the format of its provider.
): any {
  const model = {
    slug: 'a/b',
    contextLength: 200_000,
    maxOutputTokens: 8_000,
    capabilities: new Set(capabilities),
  } as unknown as Model;
  const route = { provider, target: { upstreamModel } } as Route;
  return JSON.parse(upstreamBody(request, model, route, undefined).toString());
}
