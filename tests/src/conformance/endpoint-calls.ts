import type { HttpAnswer } from '../support/http';
import { bearer, CHAT_ENDPOINTS, CHAT_FORMATS, TEXT_COMPLETIONS, WHOLE_REPLIES } from './caller';
import type { World } from './case';

/** A valid call of an endpoint, which fails only for reasons outside the call. */
export interface EndpointCall {
  readonly endpoint: string;
  send(world: World): Promise<HttpAnswer>;
}

export const CHATS: readonly EndpointCall[] = [...CHAT_ENDPOINTS, TEXT_COMPLETIONS, ...WHOLE_REPLIES].map(
  (chat) => ({
    endpoint: `POST ${chat.path}`,
    send: ({ caller, customer }) => caller.chat(customer.apiKey, {}, chat),
  }),
);
export const STREAMED_CHATS: readonly EndpointCall[] = [...CHAT_FORMATS, TEXT_COMPLETIONS].map((chat) => ({
  endpoint: `POST ${chat.path}, streamed`,
  send: ({ caller, customer }) => caller.chat(customer.apiKey, { stream: true }, chat),
}));
export const IMAGES: readonly EndpointCall[] = ['/v1/images', '/v1/images/generations'].map((path) => ({
  endpoint: `POST ${path}`,
  send: ({ caller, customer }) =>
    caller.api('POST', path, bearer(customer.apiKey), { model: 'sim/image', prompt: 'A cat.' }),
}));
export const SPEECH: EndpointCall = {
  endpoint: 'POST /v1/audio/speech',
  send: ({ caller, customer }) =>
    caller.api('POST', '/v1/audio/speech', bearer(customer.apiKey), {
      ...{ model: 'sim/speech', input: 'Hello', voice: 'alloy' },
    }),
};
export const getApi = (path: string): EndpointCall => ({
  endpoint: `GET ${path}`,
  send: ({ caller, customer }) => caller.api('GET', path, bearer(customer.apiKey)),
});
export const getDashboard = (path: string): EndpointCall => ({
  endpoint: `GET ${path}`,
  send: ({ caller, customer }) => caller.dashboard('GET', path, bearer(customer.token)),
});
