import type { AnyErrorCode } from '@gateway/errors';
import type { RequestContext } from '@gateway/rpc';
import { z } from 'zod';
import type { Json } from '../api/fields';
import type { Access } from '../domain/access';
import type { Login } from '../domain/user';
import { parseBody, parseQuery } from './parse-input';
import type { StreamedFile } from './streamed-file';

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
  readonly doc: EndpointDoc;
}

/** Documentation of an endpoint in the API document; tests check the endpoint against it. */
export interface EndpointDoc {
  readonly summary: string;
  /** Body of a POST; absent: it has no fields, and the body may be omitted. */
  readonly body?: z.ZodObject;
  /** The body may be omitted although it has fields. */
  readonly optionalBody?: true;
  /** Body of an endpoint that receives the raw body. */
  readonly rawBody?: z.ZodType;
  readonly query?: z.ZodObject;
  /** Of the JSON response; absent: the response is a file. */
  readonly response?: z.ZodType;
  /** Media types of the file; `handle` returns a `StreamedFile`. */
  readonly fileTypes?: readonly string[];
  /** Errors in addition to those that every endpoint may return. */
  readonly codes?: readonly AnyErrorCode[];
  /** It supports `Idempotency-Key`. */
  readonly idempotent?: true;
}

/** Returns a plain value, sent as JSON with status 200, or a StreamedFile; or throws a GatewayError. */
export type Endpoint = PublicEndpoint | UserEndpoint;

export interface PublicEndpoint extends Route {
  readonly access: 'public';
  readonly takesRawBody?: true;
  handle(call: Call): Promise<unknown>;
}

/** Users without access get `not_found`. */
export interface UserEndpoint extends Route, UserEndpointOptions {
  readonly access: Exclude<Access, 'public'>;
  /** Throws a GatewayError unless query and body are valid. */
  check(call: UserCall): void;
  handle(call: UserCall): Promise<unknown>;
}

interface UserEndpointOptions {
  /** A POST that makes no change for the audit log. */
  readonly unaudited?: true;
  /** Users may call it who have not changed their first password yet. */
  readonly beforePasswordChange?: true;
  /** Accepts expired tokens of sessions that have not ended. */
  readonly renewsLogin?: true;
}

interface Declaration<
  AnyCall,
  Query extends z.ZodObject,
  Body extends z.ZodObject,
  Response extends z.ZodType,
> extends EndpointDoc {
  readonly query?: Query;
  readonly body?: Body;
  readonly response?: Response;
  /** Returns what `response` describes. */
  handle(
    call: Omit<AnyCall, 'query' | 'body'> & {
      readonly query: z.output<Query>;
      readonly body: z.output<Body>;
    },
  ): Json<Response> | Promise<Json<Response>>;
}

/** Of an endpoint without a schema for its response. */
type File = z.ZodType<StreamedFile>;

type NoFields = z.ZodObject<Record<never, never>, z.core.$strict>;

/** Bodies of calls without fields. */
export const noFields: NoFields = z.strictObject({});

/** Returns an endpoint for users with this access; `handle` gets the parsed query and body. */
export function endpoint<
  Query extends z.ZodObject = NoFields,
  Body extends z.ZodObject = NoFields,
  Response extends z.ZodType = File,
>(
  access: UserEndpoint['access'],
  route: `${'GET' | 'POST'} /${string}`,
  declaration: Declaration<UserCall, Query, Body, Response>,
  options: UserEndpointOptions = {},
): UserEndpoint {
  return { access, ...toRoute(route, declaration), ...options };
}

export function publicEndpoint<
  Query extends z.ZodObject = NoFields,
  Body extends z.ZodObject = NoFields,
  Response extends z.ZodType = File,
>(
  route: `${'GET' | 'POST'} /${string}`,
  declaration: Declaration<Call, Query, Body, Response>,
): PublicEndpoint {
  return { access: 'public', ...toRoute(route, declaration) };
}

function toRoute<
  AnyCall extends Call,
  Query extends z.ZodObject,
  Body extends z.ZodObject,
  Response extends z.ZodType,
>(route: string, { handle, ...doc }: Declaration<AnyCall, Query, Body, Response>) {
  const [method, path = ''] = route.split(' ');
  const parse = (call: AnyCall) => {
    const query = doc.query && parseQuery(doc.query, call.query);
    const given = doc.body && !doc.optionalBody ? call.body : (call.body ?? {});
    const body = method === 'POST' ? parseBody(doc.body ?? noFields, given) : undefined;
    return { ...call, query, body } as Parameters<typeof handle>[0];
  };
  return {
    method: method as 'GET' | 'POST',
    path,
    doc,
    check(call: AnyCall) {
      parse(call);
    },
    handle: async (call: AnyCall) => handle(parse(call)),
  };
}
