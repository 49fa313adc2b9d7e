import { type Caller, callersOfPath } from '@gateway/callers';
import { GatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/process';
import * as grpc from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import { ERROR_TRAILER, encodeErrorDetail } from './error-detail';
import { SERVER_OPTIONS } from './grpc-options';
import type { RequestContext } from './request-context';
import type { Peer, Trust } from './trust/trust';

export interface GrpcServer {
  readonly port: number;
  /** Reports "not serving", lets calls finish within the time, then cancels the rest. */
  stop(graceMs: number): Promise<void>;
}

/** A gRPC service and its handlers. */
export interface ServiceBinding {
  readonly definition: grpc.ServiceDefinition;
  readonly handlers: grpc.UntypedServiceImplementation;
}

const REFUSAL_LOG_INTERVAL_MS = 1_000;

/**
 * Starts a server that lets each caller call its RPCs only (`CALLERS`); grpc.health.v1 is open to all.
 * @throws Error for an RPC without a row in `CALLERS`
 */
export async function startGrpcServer(options: {
  host: string;
  port: number;
  /** Of the service that is called. */
  trust: Trust;
  /** Receives the calls that are refused because of their caller. */
  log?: Logger;
  services: readonly ServiceBinding[];
}): Promise<GrpcServer> {
  const callersByPath = new Map<string, readonly Caller[]>();
  for (const { definition } of options.services) {
    for (const { path } of Object.values(definition)) {
      const callers = callersOfPath(path);
      if (!callers) throw new Error(`no rule says who may call ${path}`);
      callersByPath.set(path, callers);
    }
  }
  const { credentials, options: ofTrust } = options.trust.grpcServer();
  const report = refusalReports(options.log);
  const server = new grpc.Server({
    ...SERVER_OPTIONS,
    ...ofTrust,
    interceptors: [(method, call) => authenticate(method, call, callersByPath, options.trust, report)],
  });
  for (const { definition, handlers } of options.services) server.addService(definition, handlers);
  const health = new HealthImplementation({ '': 'SERVING' });
  health.addToServer(server);

  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${options.host}:${options.port}`, credentials, (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return {
    port,
    async stop(graceMs) {
      health.setStatus('', 'NOT_SERVING');
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => {
          server.forceShutdown();
          resolve();
        }, graceMs);
        server.tryShutdown(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    },
  };
}

/** @param certificate the subject alternative names of the caller's certificate; undefined without TLS */
type RefusalReport = (rpc: string, address: string, certificate: string | undefined) => void;

/** Logs a refused call: a service with a wrong secret or certificate, or an intruder. Others in the same second are only counted. */
function refusalReports(log: Logger | undefined): RefusalReport {
  let loggedMs = Number.NEGATIVE_INFINITY;
  let suppressed = 0;
  return (rpc, address, certificate) => {
    const nowMs = performance.now();
    if (nowMs - loggedMs < REFUSAL_LOG_INTERVAL_MS) {
      suppressed += 1;
      return;
    }
    loggedMs = nowMs;
    log?.warn({ security: true, rpc, address, certificate, suppressed }, 'caller not allowed');
    suppressed = 0;
  };
}

function authenticate(
  method: grpc.ServerMethodDefinition<unknown, unknown>,
  call: grpc.ServerInterceptingCallInterface,
  callersByPath: ReadonlyMap<string, readonly Caller[]>,
  trust: Trust,
  report: RefusalReport,
): grpc.ServerInterceptingCall {
  const allowed = callersByPath.get(method.path);
  if (!allowed) return new grpc.ServerInterceptingCall(call);
  return new grpc.ServerInterceptingCall(call, {
    start: (next) =>
      next({
        onReceiveMetadata(metadata, proceed) {
          const peer: Peer = {
            header: (name) => String(metadata.get(name)[0] ?? ''),
            certificate: () => call.getAuthContext().sslPeerCertificate,
          };
          if (trust.isOneOf(allowed, peer)) proceed(metadata);
          else {
            report(method.path, call.getPeer(), peer.certificate()?.subjectaltname);
            call.sendStatus({ code: grpc.status.UNAUTHENTICATED, details: 'caller not allowed' });
          }
        },
      }),
  });
}

/** Adapts an async function to a unary handler: it receives the request context first, and its errors become a typed trailer. */
export function unary<Request, Response>(
  log: Logger,
  handler: (context: RequestContext, request: Request) => Promise<Response>,
): grpc.handleUnaryCall<Request, Response> {
  return (call, callback) => {
    const requestId = String(call.metadata.get('x-request-id')[0] ?? '');
    const abort = new AbortController();
    // Without a reason, abort() would create an Error with a stack for every call.
    call.on('cancelled', () => abort.abort('cancelled'));
    const context = { requestId, signal: abort.signal, log: requestId ? log.child({ requestId }) : log };
    handler(context, call.request).then(
      (response) => callback(null, response),
      (thrown) => callback(toServiceError(GatewayError.from(thrown), context.log)),
    );
  };
}

function toServiceError(error: GatewayError, log: Logger): Partial<grpc.ServiceError> {
  if (error.code === 'internal_error') log.error({ err: error.cause ?? error }, 'call failed');
  const metadata = new grpc.Metadata();
  metadata.set(ERROR_TRAILER, encodeErrorDetail(error));
  // The code of the error table travels in the trailer; the gRPC status only marks the call as failed.
  return { code: grpc.status.FAILED_PRECONDITION, details: error.code, metadata };
}
