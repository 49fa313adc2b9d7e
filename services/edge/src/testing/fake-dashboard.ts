import http, { type IncomingMessage, type RequestListener } from 'node:http';
import { closeServer, type Logger, listen } from '@gateway/process';
import type { ProtoGrpcType } from '@gateway/proto/generated/dashboard';
import type { AuthorizePlaygroundCallRequest__Output } from '@gateway/proto/generated/gateway/dashboard/v1/AuthorizePlaygroundCallRequest';
import type { AuthorizePlaygroundCallResponse } from '@gateway/proto/generated/gateway/dashboard/v1/AuthorizePlaygroundCallResponse';
import { LOGIN_TOKEN } from '@gateway/public-http';
import { type GrpcServer, loadService, sharedSecret, startGrpcServer, unary } from '@gateway/rpc';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

/** Issues login tokens and answers HTTP with the test's handler; by default it echoes the request. */
export class FakeDashboard {
  handler: RequestListener = echo;
  lastRequest: IncomingMessage | undefined;
  keySetCount = 0;
  readonly authorizations: AuthorizePlaygroundCallRequest__Output[] = [];
  /** Allows every key by default. */
  authorize = ({ keyId }: AuthorizePlaygroundCallRequest__Output): AuthorizePlaygroundCallResponse =>
    keyId === '' ? {} : { key: { keyId, accountId: 'account-1' } };
  #published: SigningKey[] = [];
  #grpc!: GrpcServer;
  #http!: http.Server;
  #httpPort = 0;

  static async start(secret: string, log: Logger): Promise<FakeDashboard> {
    const fake = new FakeDashboard();
    await fake.addKey('first');
    const { DashboardService } = loadService<ProtoGrpcType>('dashboard').gateway.dashboard.v1;
    const handlers = {
      GetSigningKeys: unary(log, async () => {
        fake.keySetCount += 1;
        return { jwksJson: JSON.stringify({ keys: fake.#published.map(({ publicJwk }) => publicJwk) }) };
      }),
      AuthorizePlaygroundCall: unary(
        log,
        async (_context, request: AuthorizePlaygroundCallRequest__Output) => {
          fake.authorizations.push(request);
          return fake.authorize(request);
        },
      ),
    };
    const services = [{ definition: DashboardService.service, handlers }];
    fake.#grpc = await startGrpcServer({
      host: '127.0.0.1',
      port: 0,
      trust: sharedSecret('dashboard', secret),
      services,
    });
    fake.#http = http.createServer((request, response) => {
      fake.lastRequest = request;
      fake.handler(request, response);
    });
    fake.#httpPort = await listen(fake.#http, 0, '127.0.0.1');
    return fake;
  }

  get address(): string {
    return `127.0.0.1:${this.#grpc.port}`;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#httpPort}`;
  }

  async addKey(kid: string): Promise<void> {
    const { privateKey, publicKey } = await generateKeyPair(LOGIN_TOKEN.algorithm, { extractable: true });
    const publicJwk = { ...(await exportJWK(publicKey)), kid, alg: LOGIN_TOKEN.algorithm };
    this.#published = [...this.#published, { kid, privateKey, publicJwk }];
  }

  token(claims: { audience?: string; expires?: string } = {}): Promise<string> {
    const { kid, privateKey } = this.#published.at(-1)!;
    return new SignJWT({})
      .setProtectedHeader({ alg: LOGIN_TOKEN.algorithm, kid })
      .setSubject('user-1')
      .setIssuer(LOGIN_TOKEN.issuer)
      .setAudience(claims.audience ?? LOGIN_TOKEN.audience)
      .setIssuedAt()
      .setExpirationTime(claims.expires ?? '5m')
      .sign(privateKey);
  }

  async stopHttp(): Promise<void> {
    this.#http.closeAllConnections();
    await closeServer(this.#http);
  }

  async stop(): Promise<void> {
    await this.stopHttp();
    await this.#grpc.stop(0);
  }
}

const echo: RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    response.setHeader('content-type', 'application/json');
    response.setHeader('x-powered-by', 'Express');
    response.setHeader('x-request-id', 'not-this-one');
    response.end(
      JSON.stringify({
        method: request.method,
        url: request.url,
        headers: request.headers,
        bodyBytes: Buffer.concat(chunks).length,
      }),
    );
  });
};
