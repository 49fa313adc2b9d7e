import { inputTokensOf } from '@gateway/pricing';
import type { RateReport as RateReportMessage } from '@gateway/proto/generated/gateway/billing/v1/RateReport';
import type { RateReservation__Output } from '@gateway/proto/generated/gateway/billing/v1/RateReservation';
import type { TokenUsage } from '../domain/usage';

export interface ReportedCall {
  readonly requestId: string;
  readonly keyId: string;
  readonly reservation: RateReservation__Output;
  /** As counted at admission. */
  readonly promptTokens: number;
  readonly expectedTokens: number;
}

/**
 * Reports to billing what a call in flight uses of its key's TPM limit, as it becomes known: the actual prompt, and output
 * beyond the expected amount. Each report contains the whole figure, so a lost one is replaced by the next.
 */
export class RateReporter {
  readonly #call: ReportedCall;
  readonly #send: (report: RateReportMessage) => void;
  #reported: number;
  #sequence = 0;

  constructor(call: ReportedCall, send: (report: RateReportMessage) => void) {
    this.#call = call;
    this.#send = send;
    this.#reported = Number(call.reservation.tokens);
  }

  /** @param usage the provider's figures so far @param outputTokens estimate of the output so far */
  update(usage: TokenUsage | undefined, outputTokens: number): void {
    const { requestId, keyId, reservation, promptTokens, expectedTokens } = this.#call;
    const prompt = (usage && inputTokensOf(usage)) || promptTokens;
    const usedTokens = prompt + Math.max(expectedTokens, usage?.output ?? 0, outputTokens);
    if (usedTokens === this.#reported) return;
    this.#reported = usedTokens;
    this.#send({ requestId, keyId, reservation, usedTokens, sequence: ++this.#sequence });
  }
}
