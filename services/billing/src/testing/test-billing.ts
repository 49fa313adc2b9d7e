import { randomUUIDv7 } from 'node:crypto';
import type { Caller } from '@gateway/callers';
import type { GatewayError } from '@gateway/errors';
import { createLogger } from '@gateway/process';
import type { ProtoGrpcType } from '@gateway/proto/generated/billing';
import type { BillingServiceClient } from '@gateway/proto/generated/gateway/billing/v1/BillingService';
import type { RateReport } from '@gateway/proto/generated/gateway/billing/v1/RateReport';
import type { ReserveReply__Output } from '@gateway/proto/generated/gateway/billing/v1/ReserveReply';
import type { ReserveReplyBatch__Output } from '@gateway/proto/generated/gateway/billing/v1/ReserveReplyBatch';
import type { ReserveRequest } from '@gateway/proto/generated/gateway/billing/v1/ReserveRequest';
import type { UsageEvent } from '@gateway/proto/generated/gateway/billing/v1/UsageEvent';
import { callUnary, createGrpcClient, fromErrorDetail, loadService, sharedSecret } from '@gateway/rpc';
import { createServiceDatabase } from '@gateway/testing';
import type { ServiceError } from '@grpc/grpc-js';
import { startBilling } from '../server';

const SECRET = 'a secret for tests only';

/** A billing service in the test's process, with a client for each of its peers. */
export class TestBilling {
  readonly #service: Awaited<ReturnType<typeof startBilling>>;
  readonly asDashboard: BillingServiceClient;
  readonly asEdge: BillingServiceClient;
  readonly asChat: BillingServiceClient;
  readonly asStorage: BillingServiceClient;

  /** Starts a service on the owner's database with the service's own login. */
  static async start(databaseUrl: string, env: NodeJS.ProcessEnv = {}): Promise<TestBilling> {
    const log = createLogger('billing', process.env.TEST_LOG_LEVEL ?? 'silent');
    const serviceUrl = await createServiceDatabase('billing', databaseUrl);
    const service = await startBilling(
      {
        GRPC_PORT: '0',
        DATABASE_URL: serviceUrl,
        SERVICE_SECRET: SECRET,
        KEY_PEPPER: 'a pepper for tests only',
        ...env,
      },
      log,
    );
    return new TestBilling(service, serviceUrl);
  }

  private constructor(
    service: Awaited<ReturnType<typeof startBilling>>,
    /** Uses the login of the service. */
    readonly databaseUrl: string,
  ) {
    this.#service = service;
    const { BillingService } = loadService<ProtoGrpcType>('billing').gateway.billing.v1;
    const addresses = [`127.0.0.1:${service.ports.grpc}`];
    const client = (caller: Caller) =>
      createGrpcClient<BillingServiceClient>(BillingService, {
        addresses,
        trust: sharedSecret(caller, SECRET),
      });
    this.asDashboard = client('dashboard');
    this.asEdge = client('edge');
    this.asChat = client('chat');
    this.asStorage = client('storage');
  }

  async stop(): Promise<void> {
    for (const client of [this.asDashboard, this.asEdge, this.asChat, this.asStorage]) client.close();
    await this.#service.stop();
  }

  /** Creates an account with a balance and one key. */
  async createFundedKey(
    balanceNano: bigint,
    limits: Record<string, string> = {},
  ): Promise<{ accountId: string; keyId: string; value: string }> {
    const accountId = `acct_${randomUUIDv7()}`;
    const { asDashboard: client } = this;
    await callUnary(client, client.CreateAccount, { id: accountId, name: 'test' }, WAIT);
    if (balanceNano > 0n) {
      const topup = { id: `top_${randomUUIDv7()}`, accountId, amountNano: String(balanceNano) };
      await callUnary(client, client.CreateTopup, { ...topup, status: 'TOPUP_STATUS_CLEARED' }, WAIT);
    }
    const made = await callUnary(client, client.CreateKey, { accountId, name: 'test', ...limits }, WAIT);
    return { accountId, keyId: made.key!.id, value: made.value };
  }

  resolve(key: string) {
    return callUnary(this.asEdge, this.asEdge.ResolveKey, { key }, WAIT);
  }

  account(id: string) {
    return callUnary(this.asDashboard, this.asDashboard.GetAccount, { id }, WAIT);
  }

  deliver(...events: UsageEvent[]) {
    return callUnary(this.asChat, this.asChat.Deliver, { events }, WAIT);
  }

  heartbeat(ownerId: string, ownerEpoch: string) {
    return callUnary(this.asChat, this.asChat.Heartbeat, { ownerId, ownerEpoch }, WAIT);
  }

  /** Sends the requests as one batch on a new stream and returns all replies. */
  reserve(...requests: ReserveRequest[]): Promise<ReserveReply__Output[]> {
    const stream = this.asChat.Reserve();
    const replies = new Map<string, ReserveReply__Output[]>();
    let missing = requests.length;
    return new Promise((resolve, reject) => {
      stream.on('error', (error: ServiceError) => reject(error));
      stream.on('end', () => reject(new Error('ended before all was answered')));
      stream.on('data', (batch: ReserveReplyBatch__Output) => {
        for (const reply of batch.replies) {
          replies.set(reply.requestId, [...(replies.get(reply.requestId) ?? []), reply]);
          missing--;
        }
        if (missing > 0) return;
        stream.removeAllListeners('end');
        stream.end();
        resolve(requests.map((request) => replies.get(request.requestId ?? '')!.shift()!));
      });
      stream.write({ requests });
    });
  }

  /** Sends usage reports, which have no reply, on a new stream. */
  report(...reports: RateReport[]): void {
    const stream = this.asChat.Reserve();
    stream.on('data', () => {});
    stream.write({ reports });
    stream.end();
  }

  async metric(name: string): Promise<number> {
    const response = await fetch(`http://127.0.0.1:${this.#service.ports.admin}/metrics`);
    const line = (await response.text()).split('\n').find((text) => text.startsWith(`${name} `));
    return Number(line?.split(' ')[1]);
  }

  async ready(): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${this.#service.ports.admin}/readyz`);
    return (await response.text()).trim();
  }
}

export const WAIT = { timeoutMs: 10_000 };

/** Returns a reservation of a call with this cost. */
export const reserveRequest = (
  key: { accountId: string; keyId: string },
  boundNano: bigint,
  more: Partial<ReserveRequest> = {},
): ReserveRequest & { requestId: string } => ({
  requestId: randomUUIDv7(),
  accountId: key.accountId,
  keyId: key.keyId,
  model: 'sim/chat',
  ownerId: 'chat-1',
  ownerEpoch: '1',
  boundNano: String(boundNano),
  floorNano: String(boundNano),
  boundTokens: '100',
  floorTokens: '100',
  isNew: true,
  modelOutputs: [],
  bareModelName: false,
  ...more,
});

export const usageEvent = (
  request: ReserveRequest,
  costNano: bigint,
  more: Partial<UsageEvent> = {},
): UsageEvent => ({
  requestId: request.requestId!,
  accountId: request.accountId!,
  keyId: request.keyId!,
  outcome: 'USAGE_OUTCOME_SETTLED',
  costNano: String(costNano),
  model: request.model!,
  endpoint: '/v1/chat/completions',
  provider: 'simulator',
  status: 200,
  tokens: { input: '10', output: '20' },
  usageSource: 'USAGE_SOURCE_PROVIDER',
  startedAtMs: String(Date.now()),
  endedAtMs: String(Date.now()),
  ...more,
});

/** Returns `granted <nano>` or the error code. */
export function summary(reply: ReserveReply__Output): string {
  return reply.grant ? `granted ${reply.grant.holdNano}` : refusalOf(reply).code;
}

export const refusalOf = (reply: ReserveReply__Output): GatewayError => fromErrorDetail(reply.refusal!);
