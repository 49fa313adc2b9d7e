import type http from 'node:http';
import type { PeerCertificate } from 'node:tls';
import type { Caller, ServiceName } from '@gateway/callers';
import type * as grpc from '@grpc/grpc-js';

/** What a server knows about the other end of a connection or call. */
export interface Peer {
  /** Empty if absent. */
  header(name: string): string;
  /** Undefined without TLS. */
  certificate(): PeerCertificate | undefined;
}

/** How a service proves its identity to others, and how it recognizes them. */
export interface Trust {
  /** Returns the credentials and options of a gRPC client. @throws SettingsError if this service can't call the other */
  grpcClient(callee: ServiceName): { credentials: grpc.ChannelCredentials; options: grpc.ClientOptions };
  /** Returns the credentials and options of a gRPC server. */
  grpcServer(): { credentials: grpc.ServerCredentials; options: grpc.ServerOptions };
  /** Returns the agent and headers for HTTP requests. @throws SettingsError if this service can't call the other */
  httpClient(
    callee: ServiceName,
    url: string,
    options: http.AgentOptions,
  ): { agent: http.Agent; headers: Readonly<Record<string, string>> };
  createHttpServer(options: http.ServerOptions, listener: http.RequestListener): http.Server;
  /** Returns whether the peer proves that it is one of the callers. */
  isOneOf(callers: readonly Caller[], peer: Peer): boolean;
  /** Returns until when this service's certificate is valid; undefined without TLS. */
  certificateExpiry(): Date | undefined;
}
