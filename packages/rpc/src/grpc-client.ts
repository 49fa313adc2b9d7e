import type { ServiceName } from '@gateway/callers';
import { GatewayError } from '@gateway/errors';
import * as grpc from '@grpc/grpc-js';
import { decodeErrorDetail, ERROR_TRAILER } from './error-detail';
import { CLIENT_OPTIONS } from './grpc-options';
import { serviceOfPath } from './load-service';
import type { Instance, Membership } from './membership/membership';
import { targetOf } from './membership/membership-resolver';
import { type Discovery, openMembership } from './membership/open-membership';
import type { Trust } from './trust/trust';

export interface GrpcClientOptions extends Discovery {
  /** `host:port`, `srv://name` or `k8s://namespace/service:port` each; the instances are those that they stand for at the moment. */
  readonly addresses: readonly string[];
  /** Of the calling service. */
  readonly trust: Trust;
}

interface ClientConstructor<C> {
  readonly service: grpc.ServiceDefinition;
  new (address: string, credentials: grpc.ChannelCredentials, options?: grpc.ClientOptions): C;
}

/** Creates a client with one channel over all instances; calls are spread round-robin. */
export function createGrpcClient<C>(Client: ClientConstructor<C>, options: GrpcClientOptions): C {
  return openChannel(
    Client,
    targetOf(options.addresses, openMembership(options.addresses, options)),
    options,
  );
}

/** Called with the client of an instance that has appeared; returns what to do when the instance is gone. */
export type Join<C> = (client: C, instance: Instance) => () => void;

/** The instances of a peer, each with a client, for long-lived streams that the caller balances itself. */
export interface PeerInstances<C> {
  /** The zone of this process, if it has one. */
  readonly zone?: string | undefined;
  /**
   * Calls `join` for each instance now, and for each that appears. It owns the client, which has to be closed.
   * Returns a function that ends this; instances that are present then are not reported as gone.
   */
  follow(join: Join<C>): () => void;
}

/** Follows the instances of a peer, with a channel to each. */
export function createGrpcClients<C>(
  Client: ClientConstructor<C>,
  options: GrpcClientOptions,
): PeerInstances<C> {
  const membership = openMembership(options.addresses, options);
  return {
    zone: options.zone,
    follow: (join) => followInstances(membership, (address) => openChannel(Client, address, options), join),
  };
}

function followInstances<C>(
  membership: Membership,
  createClient: (address: string) => C,
  join: Join<C>,
): () => void {
  const leaves = new Map<string, () => void>();
  return membership.watch(({ instances }) => {
    // The new ones first, so that calls have somewhere to go.
    for (const instance of instances) {
      const { address } = instance;
      if (!leaves.has(address)) leaves.set(address, join(createClient(address), instance));
    }
    const listed = new Set(instances.map(({ address }) => address));
    for (const [address, leave] of leaves) {
      if (listed.has(address)) continue;
      leaves.delete(address);
      leave();
    }
  });
}

function openChannel<C>(Client: ClientConstructor<C>, target: string, options: GrpcClientOptions): C {
  const { credentials, options: ofTrust } = options.trust.grpcClient(calleeOf(Client.service));
  return new Client(target, credentials, { ...CLIENT_OPTIONS, ...ofTrust });
}

function calleeOf(definition: grpc.ServiceDefinition): ServiceName {
  const [method] = Object.values(definition);
  if (!method) throw new Error('a service without methods');
  return serviceOfPath(method.path);
}

/** A generated client method with all its overloads, because TypeScript infers from overloads pairwise. */
export interface UnaryMethod<Request, Response> {
  (
    request: Request,
    metadata: grpc.Metadata,
    options: grpc.CallOptions,
    callback: grpc.requestCallback<Response>,
  ): grpc.ClientUnaryCall;
  (request: Request, metadata: grpc.Metadata, callback: grpc.requestCallback<Response>): grpc.ClientUnaryCall;
  (
    request: Request,
    options: grpc.CallOptions,
    callback: grpc.requestCallback<Response>,
  ): grpc.ClientUnaryCall;
  (request: Request, callback: grpc.requestCallback<Response>): grpc.ClientUnaryCall;
}

export interface CallSettings {
  readonly timeoutMs: number;
  readonly requestId?: string;
  readonly signal?: AbortSignal;
}

/** Long enough for a peer to restart, short enough to fail early if no instance is reachable. */
const CONNECT_WAIT_MS = 2_000;

/** A server that stops refuses calls that reach it before its clients know; of several, each may refuse the call. */
const REFUSED = 'Stream refused by server';
const REFUSED_RETRY_MS = 10;

/**
 * Calls a unary method with a deadline; waits up to 2 s for a connection first. Repeats a call that servers refuse unseen, which
 * grpc-js does only once.
 * @throws GatewayError the peer's typed error, or `internal_error` for any other failure (no connection, deadline exceeded)
 */
export async function callUnary<Request, Response>(
  client: grpc.Client,
  method: UnaryMethod<Request, Response>,
  request: Request,
  settings: CallSettings,
): Promise<NonNullable<Response>> {
  const deadline = Date.now() + settings.timeoutMs;
  if (client.getChannel().getConnectivityState(true) !== grpc.connectivityState.READY) {
    await connected(client, Math.min(deadline, Date.now() + CONNECT_WAIT_MS));
  }
  return callConnected(client, method, request, settings, deadline);
}

/** Also resolves at the deadline: the call that follows reports the failure. */
function connected(client: grpc.Client, deadlineMs: number): Promise<void> {
  return new Promise((resolve) => client.waitForReady(deadlineMs, () => resolve()));
}

function callConnected<Request, Response>(
  client: grpc.Client,
  method: UnaryMethod<Request, Response>,
  request: Request,
  settings: CallSettings,
  deadline: number,
): Promise<NonNullable<Response>> {
  return new Promise((resolve, reject) => {
    const metadata = new grpc.Metadata();
    if (settings.requestId) metadata.set('x-request-id', settings.requestId);
    const answered = (error: grpc.ServiceError | null, response?: Response) => {
      settings.signal?.removeEventListener('abort', cancel);
      if (error?.details === REFUSED && !settings.signal?.aborted && Date.now() < deadline)
        setTimeout(
          () => resolve(callConnected(client, method, request, settings, deadline)),
          REFUSED_RETRY_MS,
        );
      else if (error) reject(fromServiceError(error));
      else if (response == null) reject(new GatewayError('internal_error'));
      else resolve(response);
    };
    const call = Reflect.apply(method, client, [
      request,
      metadata,
      { deadline },
      answered,
    ]) as grpc.ClientUnaryCall;
    const cancel = () => call.cancel();
    if (settings.signal?.aborted) cancel();
    else settings.signal?.addEventListener('abort', cancel, { once: true });
  });
}

export function fromServiceError(error: grpc.ServiceError): GatewayError {
  const trailer = error.metadata?.get(ERROR_TRAILER)[0];
  return Buffer.isBuffer(trailer)
    ? decodeErrorDetail(trailer)
    : new GatewayError('internal_error', { cause: error });
}
