import { timingSafeEqual } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { ALL_CALLERS, type Caller, type ServiceName } from '@gateway/callers';
import * as grpc from '@grpc/grpc-js';
import { SERVICE_TOKEN_HEADER, serviceToken } from '../service-token';
import type { Peer, Trust } from './trust';

/**
 * Trust without TLS: each caller has a secret for each service that it calls. A caller sends a digest of the secret, so a
 * service that knows the secret of its own pair can't act as anybody towards another service.
 */
export class SecretTrust implements Trust {
  readonly #service: Caller;
  readonly #secretFor: (callee: ServiceName) => string;
  readonly #tokens: ReadonlyMap<Caller, readonly Buffer[]>;

  /**
   * @param secretFor returns the secret that is sent to a service; throws SettingsError without one
   * @param accepted the secrets of each caller
   */
  constructor(
    service: Caller,
    secretFor: (callee: ServiceName) => string,
    accepted: ReadonlyMap<Caller, readonly string[]>,
  ) {
    this.#service = service;
    this.#secretFor = secretFor;
    this.#tokens = new Map(
      [...accepted].map(([caller, secrets]) => [
        caller,
        secrets.map((secret) => Buffer.from(serviceToken(secret, caller))),
      ]),
    );
  }

  grpcClient(callee: ServiceName): ReturnType<Trust['grpcClient']> {
    const token = serviceToken(this.#secretFor(callee), this.#service);
    const caller = this.#service;
    const interceptor: grpc.Interceptor = (options, nextCall) =>
      new grpc.InterceptingCall(nextCall(options), {
        start(metadata, listener, next) {
          // Servers of the release before read the caller's name.
          metadata.set('x-caller', caller);
          metadata.set(SERVICE_TOKEN_HEADER, token);
          next(metadata, listener);
        },
      });
    return { credentials: grpc.credentials.createInsecure(), options: { interceptors: [interceptor] } };
  }

  grpcServer(): ReturnType<Trust['grpcServer']> {
    return { credentials: grpc.ServerCredentials.createInsecure(), options: {} };
  }

  httpClient(callee: ServiceName, url: string, options: http.AgentOptions): ReturnType<Trust['httpClient']> {
    const agent = url.startsWith('https:') ? new https.Agent(options) : new http.Agent(options);
    return {
      agent,
      headers: { [SERVICE_TOKEN_HEADER]: serviceToken(this.#secretFor(callee), this.#service) },
    };
  }

  createHttpServer(options: http.ServerOptions, listener: http.RequestListener): http.Server {
    return http.createServer(options, listener);
  }

  isOneOf(callers: readonly Caller[], peer: Peer): boolean {
    const given = Buffer.from(peer.header(SERVICE_TOKEN_HEADER));
    const isToken = (token: Buffer) => token.length === given.length && timingSafeEqual(token, given);
    return callers.some((caller) => this.#tokens.get(caller)?.some(isToken));
  }

  certificateExpiry(): undefined {
    return undefined;
  }
}

/** Trust of a service that shares one secret with all others, for tests. */
export function sharedSecret(service: Caller, secret: string): Trust {
  return new SecretTrust(service, () => secret, new Map(ALL_CALLERS.map((caller) => [caller, [secret]])));
}
