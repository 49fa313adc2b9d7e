import type { GatewayError } from '@gateway/errors';
import { toInt64 } from '@gateway/money';
import type { RateReservation as RateReservationMessage } from '@gateway/proto/generated/gateway/billing/v1/RateReservation';
import type { ReserveReply } from '@gateway/proto/generated/gateway/billing/v1/ReserveReply';
import { toErrorDetail, toProtoRates } from '@gateway/rpc';
import type { RateReservation } from '../rates/rules/rate-limiter';
import type { CallToAdmit } from './rules/admission';
import type { Grant } from './rules/reserver';

/** Returns the reply to a granted call. */
export const toGrantReply = (
  { requestId, promptTokens, outputTokens }: CallToAdmit,
  { holdNano, requestCostLimitNano, ownContentOnly, rates, rateReservation }: Grant,
): ReserveReply => ({
  requestId,
  grant: {
    holdNano: toInt64(holdNano),
    grantedTokens: toInt64(promptTokens + outputTokens),
    ...toProtoRates(rates),
    ...(requestCostLimitNano !== null && { requestCostLimitNano: toInt64(requestCostLimitNano) }),
    ownContentOnly,
    ...(rateReservation && { rateReservation: toProtoReservation(rateReservation) }),
  },
});

const toProtoReservation = ({ generation, bucket, tokens }: RateReservation): RateReservationMessage => ({
  generation: toInt64(generation),
  bucket,
  tokens: toInt64(tokens),
});

/** Returns the reply to a refused call. */
export const toRefusalReply = (
  requestId: string,
  error: GatewayError,
  awaitsSettlement: boolean,
): ReserveReply => ({ requestId, refusal: toErrorDetail(error), awaitsSettlement });
