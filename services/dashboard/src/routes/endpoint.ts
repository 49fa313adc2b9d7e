import type { AnyErrorCode } from '@gateway/errors';
import type { RequestContext } from '@gateway/rpc';
import type { z } from 'zod';
import type { Access } from '../domain/access';
import type { Login } from '../domain/user';

/** One HTTP call, parsed as far as every endpoint needs it. */
export interface Call {
  readonly context: RequestContext;
  /** The client's address, as edge saw it, by which tries are counted; the /64 of an IPv6 one. */
  readonly address: string;
  /** The client's whole address, for the security log and the audit log. */
  readonly clientIp: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  /** The JSON body; undefined when there is none. */
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
  /** For endpoints that take the raw body, which they check before they parse it. */
  readonly raw?: RawBody;
}

export interface RawBody {
  readonly bytes: Buffer;
  header(name: string): string | undefined;
}

/** A call with a good login token. */
export interface UserCall extends Call, Login {}

interface Route {
  readonly method: 'GET' | 'POST';
  /** Below `/api/v1`. `:name` is one segment, `*name` all that are left. */
  readonly path: string;
}

/** What the API's document says of an endpoint; tests hold the endpoint to it. */
export interface EndpointDoc {
  readonly summary: string;
  /** Of a POST; absent: it takes no fields, and its body may be left out. */
  readonly body?: z.ZodObject;
  /** Of an endpoint that takes the raw body. */
  readonly rawBody?: z.ZodType;
  readonly query?: z.ZodObject;
  readonly answer: z.ZodType;
  /** Beyond those that any endpoint may answer. */
  readonly codes?: readonly AnyErrorCode[];
  /** It heeds `Idempotency-Key`. */
  readonly idempotent?: true;
}

/** What answers a call: a plain value, sent as JSON with status 200, or a thrown GatewayError. */
export type Endpoint = PublicEndpoint | UserEndpoint;

export interface PublicEndpoint extends Route {
  readonly access: 'public';
  readonly takesRawBody?: true;
  readonly doc: EndpointDoc;
  handle(call: Call): Promise<unknown>;
}

/** To whoever may not call it an endpoint is not there. */
export interface UserEndpoint extends Route {
  readonly access: Exclude<Access, 'public'>;
  /** A POST that changes nothing which the audit log tells of. */
  readonly unaudited?: true;
  /** Takes tokens that have ended, of sessions that have not. */
  readonly renewsLogin?: true;
  readonly doc: EndpointDoc;
  handle(call: UserCall): Promise<unknown>;
}
