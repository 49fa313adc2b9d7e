import type { AnyErrorCode } from '@gateway/errors';
import type { RequestContext } from '@gateway/rpc';
import type { z } from 'zod';
import type { Access } from '../domain/access';
import type { Login } from '../domain/user';

/** An HTTP call, parsed as far as all endpoints need it. */
export interface Call {
  readonly context: RequestContext;
  /** The client's address as edge saw it, by which attempts are counted; the /64 of an IPv6 address. */
  readonly address: string;
  /** The client's complete address, for the security log and the audit log. */
  readonly clientIp: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  /** The JSON body; undefined if there is none. */
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
  /** For endpoints that check the raw body before they parse it. */
  readonly raw?: RawBody;
}

export interface RawBody {
  readonly bytes: Buffer;
  header(name: string): string | undefined;
}

/** A call with a valid login token. */
export interface UserCall extends Call, Login {}

interface Route {
  readonly method: 'GET' | 'POST';
  /** Below `/api/v1`. `:name` is one segment, `*name` all remaining segments. */
  readonly path: string;
}

/** Documentation of an endpoint in the API document; tests check the endpoint against it. */
export interface EndpointDoc {
  readonly summary: string;
  /** Body of a POST; absent: it has no fields, and the body may be omitted. */
  readonly body?: z.ZodObject;
  /** Body of an endpoint that receives the raw body. */
  readonly rawBody?: z.ZodType;
  readonly query?: z.ZodObject;
  readonly answer: z.ZodType;
  /** Errors in addition to those that every endpoint may return. */
  readonly codes?: readonly AnyErrorCode[];
  /** It supports `Idempotency-Key`. */
  readonly idempotent?: true;
}

/** Returns a plain value, sent as JSON with status 200, or throws a GatewayError. */
export type Endpoint = PublicEndpoint | UserEndpoint;

export interface PublicEndpoint extends Route {
  readonly access: 'public';
  readonly takesRawBody?: true;
  readonly doc: EndpointDoc;
  handle(call: Call): Promise<unknown>;
}

/** Users without access get `not_found`. */
export interface UserEndpoint extends Route {
  readonly access: Exclude<Access, 'public'>;
  /** A POST that makes no change for the audit log. */
  readonly unaudited?: true;
  /** Accepts expired tokens of sessions that have not ended. */
  readonly renewsLogin?: true;
  readonly doc: EndpointDoc;
  handle(call: UserCall): Promise<unknown>;
}
