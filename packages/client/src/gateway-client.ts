import { systemClock } from './clock.ts';
import { formOf } from './forms.ts';
import type { CallOptions, ChatOptions, ClientOptions, StreamOptions } from './options.ts';
import type {
  ChatChunk,
  ChatCompletion,
  ChatRequest,
  FileReply,
  FileRequest,
  ImageEditRequest,
  ImageReply,
  ImageRequest,
  Message,
  MessageEvent,
  MessageRequest,
} from './replies.ts';
import { streamEvents } from './stream-events.ts';
import { type Connection, requestJson } from './transport.ts';
import { Videos } from './videos.ts';

/** A client of the gateway's API. Calls throw GatewayError. */
export class GatewayClient {
  /** OpenAI's chat completions, with models of every provider. */
  readonly chat;
  /** Anthropic's messages, with models of every provider. */
  readonly messages;
  readonly images;
  readonly videos: Videos;
  readonly files;
  readonly #connection: Connection;

  constructor(options: ClientOptions) {
    const connection = connectionOf(options);
    this.#connection = connection;
    this.chat = conversation<ChatCompletion, ChatChunk, ChatRequest>(
      connection,
      '/v1/chat/completions',
      () => false,
    );
    this.messages = conversation<Message, MessageEvent, MessageRequest>(
      connection,
      '/v1/messages',
      ({ type }) => type === 'message_stop',
    );
    this.images = imagesOf(connection);
    this.videos = new Videos(connection);
    this.files = {
      upload: (fields: FileRequest, options?: CallOptions): Promise<FileReply> =>
        requestJson(connection, { method: 'POST', path: '/v1/files', body: formOf(fields) }, options),
    };
  }

  /** Reads from any other path, such as `/v1/models`. */
  get<Reply = unknown>(path: string, options?: CallOptions): Promise<Reply> {
    return requestJson(this.#connection, { method: 'GET', path }, options);
  }

  /** Posts JSON or a form to any other path, such as `/v1/embeddings`. */
  post<Reply = unknown>(path: string, body: object, options?: CallOptions): Promise<Reply> {
    return requestJson(this.#connection, { method: 'POST', path, body }, options);
  }
}

/** @param isLast whether an event ends its stream, in addition to `[DONE]` */
function conversation<Whole, Part extends object, Request extends ChatRequest>(
  connection: Connection,
  path: string,
  isLast: (part: Part) => boolean,
) {
  const requestOf = (body: object, { fallbackModels }: ChatOptions = {}) =>
    ({ method: 'POST', path, body, fallbackModels }) as const;
  return {
    create: <Body extends Request>(body: Body, options?: ChatOptions): Promise<Whole> =>
      requestJson(connection, requestOf(body, options), options),
    /** Streams the reply. Leaving the loop ends the call. */
    stream: <Body extends Request>(body: Body, options?: StreamOptions): AsyncGenerator<Part, void> =>
      streamEvents(connection, requestOf({ ...body, stream: true }, options), isLast, options),
  };
}

function imagesOf(connection: Connection) {
  const send = (body: object, options?: CallOptions): Promise<ImageReply> =>
    requestJson(connection, { method: 'POST', path: '/v1/images', body, hasIdempotencyKey: true }, options);
  return {
    generate: <Body extends ImageRequest>(body: Body, options?: CallOptions) => send(body, options),
    /** Edits images: uploads them as a form. */
    edit: <Body extends ImageEditRequest>(fields: Body, options?: CallOptions) =>
      send(formOf(fields), options),
  };
}

function connectionOf({
  baseUrl,
  apiKey,
  defaults = {},
  clock = systemClock,
  ...rest
}: ClientOptions): Connection {
  return {
    baseUrl: new URL(baseUrl).href.replace(/(\/v1)?\/*$/, ''),
    apiKey,
    defaults,
    clock,
    // Browsers' `fetch` must be called as a function of the window.
    fetch: rest.fetch ?? ((...request) => fetch(...request)),
  };
}
