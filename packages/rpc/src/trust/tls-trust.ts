import type http from 'node:http';
import https from 'node:https';
import tls, { type PeerCertificate } from 'node:tls';
import type { Caller, ServiceName } from '@gateway/callers';
import { SettingsError } from '@gateway/process';
import * as grpc from '@grpc/grpc-js';
import type { CertificateFiles } from './certificate-files';
import { alternativeName, hasAlternativeName } from './peer-identity';
import type { Peer, Trust } from './trust';

export interface TlsTrustOptions {
  readonly files: CertificateFiles;
  /** SPIFFE id or DNS name with `{service}`. */
  readonly identity: string;
}

/** Trust by certificates: both ends of each connection show one, and its subject alternative name is the identity. */
export class TlsTrust implements Trust {
  readonly #options: TlsTrustOptions;
  readonly #channelCredentials: grpc.ChannelCredentials;

  constructor(options: TlsTrustOptions) {
    this.#options = options;
    // One object for all channels: grpc-js shares connections only between equal credentials.
    this.#channelCredentials = grpc.experimental.createCertificateProviderChannelCredentials(
      options.files,
      options.files,
      { checkServerIdentity: (callee, certificate) => this.#checkServer(callee as ServiceName, certificate) },
    );
  }

  grpcClient(callee: ServiceName): ReturnType<Trust['grpcClient']> {
    // The name that `checkServerIdentity` gets, whatever address the channel dials.
    const options = { 'grpc.ssl_target_name_override': callee };
    return { credentials: this.#channelCredentials, options };
  }

  grpcServer(): ReturnType<Trust['grpcServer']> {
    const { files } = this.#options;
    // grpc-js 1.14 mixes up the order of the two providers, which doesn't matter while they are the same.
    const credentials = grpc.experimental.createCertificateProviderServerCredentials(files, files, true);
    // No maximum age of connections: grpc-js's keepalive cuts the streams of a session that is closing.
    return { credentials, options: {} };
  }

  httpClient(callee: ServiceName, url: string, options: http.AgentOptions): ReturnType<Trust['httpClient']> {
    if (!url.startsWith('https:')) {
      throw new SettingsError([
        `the address of ${callee}'s HTTP server must start with https, because TLS is on`,
      ]);
    }
    const { files } = this.#options;
    const checkServerIdentity = (_host: string, certificate: PeerCertificate) =>
      this.#checkServer(callee, certificate);
    class Agent extends https.Agent {
      override createConnection(connection: tls.ConnectionOptions) {
        const { cert, key, ca } = files.current;
        const identity = { cert, key, ca, servername: callee, checkServerIdentity, rejectUnauthorized: true };
        return tls.connect({ ...connection, ...identity });
      }
    }
    return { agent: new Agent(options), headers: {} };
  }

  createHttpServer(options: http.ServerOptions, listener: http.RequestListener): http.Server {
    const { files } = this.#options;
    const verify = { requestCert: true, rejectUnauthorized: true };
    const server = https.createServer({ ...options, ...files.current, ...verify }, listener);
    const renew = () => server.setSecureContext({ ...files.current });
    files.addIdentityCertificateListener(renew);
    server.once('close', () => files.removeIdentityCertificateListener(renew));
    return server;
  }

  isOneOf(callers: readonly Caller[], peer: Peer): boolean {
    const certificate = peer.certificate();
    return certificate !== undefined && callers.some((caller) => this.#isOf(caller, certificate));
  }

  certificateExpiry(): Date {
    return this.#options.files.expiry;
  }

  #checkServer(callee: ServiceName, certificate: PeerCertificate): Error | undefined {
    return this.#isOf(callee, certificate)
      ? undefined
      : new Error(`the server's certificate is not that of ${callee}`);
  }

  #isOf(service: Caller, certificate: PeerCertificate): boolean {
    return hasAlternativeName(certificate.subjectaltname, alternativeName(this.#options.identity, service));
  }
}
