import type { AnyErrorCode, StreamErrors } from '@gateway/errors';
import type { KeyScope } from '@gateway/models';

/** Services that answer calls of the API over a link. */
export type ApiService = 'chat' | 'media' | 'storage';

/** A call of the API: what edge, the answering service, the API document and the playground need to know of it. */
export interface Endpoint {
  /** For handlers, metrics and logs. Endpoints with the same handler may share it. */
  readonly name: string;
  readonly method: 'GET' | 'POST';
  /** `/v1/files/{file_id}`: a parameter is one segment, unless `tail` says otherwise. */
  readonly path: string;
  /** What precedes `tail`; undefined: the path before its first parameter. */
  readonly base?: string;
  readonly tail?: RegExp;
  readonly service: ApiService;
  /** Scope that a key needs; undefined: every key may make the call. */
  readonly scope: KeyScope | undefined;
  /** Name of the JSON body's schema in the API document; undefined: it takes no JSON. */
  readonly body?: string;
  /** Name of the form's schema: the body as multipart/form-data. */
  readonly form?: string;
  /** A body that is no form is refused before it is read. */
  readonly takesOnlyForms?: true;
  /** The query is forwarded. Other queries are dropped, because they may contain credentials. */
  readonly forwardsQuery?: true;
  /** Google's clients call it, which send the key in `x-goog-api-key` or as the parameter `key`. */
  readonly acceptsGoogleKey?: true;
  /** Anyone with the link may use it: it is signed. */
  readonly keyless?: true;
  /** Responses may contain links to this gateway. */
  readonly returnsLinks?: true;
  /** Maximum age of the cached key, for calls that reserve no money: no later step checks the key. */
  readonly maxKeyAgeMs?: number;
  /** Format of errors within its streams. */
  readonly streamErrors: StreamErrors;
  /** Summary of the call that users of the dashboard may make with a login token and one of their account's keys. */
  readonly playground?: string;
  readonly doc: EndpointDoc;
}

/** What only the API document needs. */
export interface EndpointDoc {
  readonly summary: string;
  readonly tag: string;
  /** Name of the query's schema. */
  readonly query?: string;
  /** Name of the reply's schema, if it is JSON. */
  readonly reply?: string;
  /** Media type of a reply that is not JSON. */
  readonly replyType?: string;
  /** It responds with server-sent events if the body requests a stream. */
  readonly streams?: true;
  /** Whole replies have the header `X-Gateway-Cost`. */
  readonly returnsCost?: true;
  readonly idempotent?: true;
  readonly codes: readonly AnyErrorCode[];
}
