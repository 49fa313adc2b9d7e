import { GatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/process';
import type { RateReport__Output } from '@gateway/proto/generated/gateway/billing/v1/RateReport';
import type { ReserveBatch__Output } from '@gateway/proto/generated/gateway/billing/v1/ReserveBatch';
import type { ReserveReply } from '@gateway/proto/generated/gateway/billing/v1/ReserveReply';
import type { ReserveReplyBatch } from '@gateway/proto/generated/gateway/billing/v1/ReserveReplyBatch';
import type { ReserveRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/ReserveRequest';
import { TickBatcher } from '@gateway/rpc';
import { Metadata, type ServerDuplexStream } from '@grpc/grpc-js';
import { MAX_AMOUNT_NANO } from '../domain/int8';
import type { RateReport } from '../rates/rules/rate-limiter';
import { type CallToAdmit, refuse } from '../reserve/rules/admission';
import { isUuid } from '../reserve/rules/request-id';
import type { ReserveResult } from '../reserve/rules/reserver';
import { toRefusalReply } from '../reserve/to-reserve-reply';

type ReserveStream = ServerDuplexStream<ReserveBatch__Output, ReserveReplyBatch>;
type Result = ReserveResult<ReserveReply>;
type Submit = (call: CallToAdmit) => Promise<Result>;

const MAX_TEXT = 256;

/** The open `Reserve` streams. Every request is answered once. */
export class ReserveStreams {
  readonly #submit: Submit;
  readonly #report: (reports: readonly RateReport[]) => void;
  readonly #onReply: (result: string) => void;
  readonly #log: Logger;
  readonly #streams = new Map<ReserveStream, { unanswered: number }>();
  #draining = false;

  constructor(options: {
    submit: Submit;
    /** Receives the tokens that calls in flight have used. */
    report: (reports: readonly RateReport[]) => void;
    /** Receives the outcome of each request: `granted` or the code of its refusal. */
    onReply: (result: string) => void;
    log: Logger;
  }) {
    this.#submit = options.submit;
    this.#report = options.report;
    this.#onReply = options.onReply;
    this.#log = options.log;
  }

  /** The `Reserve` method. */
  readonly reserve = (stream: ReserveStream): void => {
    const replies = new TickBatcher<ReserveReply, ReserveReplyBatch>(stream, (items) => ({ replies: items }));
    const state = { unanswered: 0 };
    this.#streams.set(stream, state);
    const left = () => {
      if (!this.#streams.delete(stream)) return;
      replies.close();
      stream.end();
    };
    const answered = (reply: ReserveReply) => {
      replies.add(reply);
      state.unanswered--;
      this.#endIfDone(stream);
    };
    stream.on('cancelled', left);
    stream.on('error', left);
    stream.on('end', left);
    stream.on('data', ({ requests, reports }: ReserveBatch__Output) => {
      if (reports.length > 0) this.#report(reports.flatMap(fromProtoReport));
      state.unanswered += requests.length;
      for (const request of requests) void this.#answer(request, answered);
    });
    stream.sendMetadata(new Metadata());
  };

  /** Ends each stream when all of its requests have been answered. */
  drain(): void {
    this.#draining = true;
    for (const stream of this.#streams.keys()) this.#endIfDone(stream);
  }

  /** Only one async function per request, because there are many. */
  async #answer(request: ReserveRequest__Output, answered: (reply: ReserveReply) => void): Promise<void> {
    let result: Result;
    try {
      result = await this.#submit(fromProtoRequest(request));
    } catch (thrown) {
      result = refuse(GatewayError.from(thrown));
    }
    this.#onReply(result.granted ? 'granted' : result.error.code);
    answered(result.granted ? result.reply : this.#refusal(request.requestId, result));
  }

  #refusal(requestId: string, { error, awaitsSettlement }: ReturnType<typeof refuse>): ReserveReply {
    if (error.code === 'internal_error') this.#log.error({ requestId, err: error.cause }, 'reserve failed');
    return toRefusalReply(requestId, error, awaitsSettlement);
  }

  #endIfDone(stream: ReserveStream): void {
    if (!this.#draining || this.#streams.get(stream)?.unanswered !== 0) return;
    this.#streams.delete(stream);
    // After this turn's batch of replies, which is written in its immediate phase.
    setImmediate(() => setImmediate(() => stream.end()));
  }
}

/** Undefined for a malformed report: it has no reply, and the call's end corrects the figures. */
function fromProtoReport({
  requestId,
  keyId,
  reservation,
  usedTokens,
  sequence,
}: RateReport__Output): RateReport[] {
  if (!reservation || !isUuid(requestId) || keyId.length > MAX_TEXT) return [];
  const [generation, tokens, used] = [reservation.generation, reservation.tokens, usedTokens].map(BigInt);
  const bucket = Number(reservation.bucket);
  if (generation! < 0n || tokens! < 0n || used! < 0n || !(bucket >= 0)) return [];
  return [
    { requestId, keyId, generation: generation!, bucket, tokens: tokens!, usedTokens: used!, sequence },
  ];
}

function fromProtoRequest(request: ReserveRequest__Output): CallToAdmit {
  const call: CallToAdmit = {
    requestId: request.requestId,
    accountId: request.accountId,
    keyId: request.keyId,
    valueId: request.valueId,
    model: request.model,
    modelOutputs: request.modelOutputs,
    bareModelName: request.bareModelName,
    ownerId: request.ownerId,
    ownerEpoch: BigInt(request.ownerEpoch),
    boundNano: BigInt(request.boundNano),
    floorNano: BigInt(request.floorNano),
    promptTokens: BigInt(request.floorTokens),
    outputTokens: BigInt(request.boundTokens) - BigInt(request.floorTokens),
    free: request.free,
    needsFunds: request.needsFunds,
    scopes: request.scopes,
    clientAddress: request.clientAddress,
    callerNamedMaximum: request.callerNamedMaximum,
    makesTask: request.makesTask,
    taskId: request.taskId,
    endpoint: request.endpoint,
    isNew: request.isNew,
    mayHaveHold: !request.isNew,
  };
  const { accountId, keyId, valueId, model, ownerId, taskId, endpoint } = call;
  const texts = [accountId, keyId, valueId, model, ownerId, taskId, endpoint, call.clientAddress];
  const fits =
    isUuid(call.requestId) &&
    texts.every((text) => text.length <= MAX_TEXT && !text.includes('\0')) &&
    call.floorNano >= 0n &&
    call.floorNano <= call.boundNano &&
    call.boundNano <= MAX_AMOUNT_NANO &&
    call.promptTokens >= 0n &&
    call.outputTokens >= 0n;
  if (!fits) throw new GatewayError('internal_error', { cause: new Error('a malformed reserve request') });
  return call;
}
