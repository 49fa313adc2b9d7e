import type { GatewayError } from '@gateway/errors';
import { toInt64 } from '@gateway/money';
import { toErrorDetail, toProtoRates } from '@gateway/rpc';
import type { RateReservation } from '../rates/rules/rate-limiter';
import { definition } from '../service-definition';
import type { CallToAdmit } from './rules/admission';
import type { Grant } from './rules/reserver';

const { responseSerialize } = definition.Reserve;

/** The answer to a call that is granted, as a batch of its own; encoded batches one after another are a batch again. */
export const encodeGrant = (
  { requestId, promptTokens, outputTokens }: CallToAdmit,
  { holdNano, requestCostLimitNano, rates, rateReservation }: Grant,
): Buffer => {
  const grant = {
    holdNano: toInt64(holdNano),
    grantedTokens: toInt64(promptTokens + outputTokens),
    ...toProtoRates(rates),
    ...(requestCostLimitNano !== null && { requestCostLimitNano: toInt64(requestCostLimitNano) }),
    ...(rateReservation && { rateReservation: toProtoPlace(rateReservation) }),
  };
  return responseSerialize({ replies: [{ requestId, grant }] });
};

const toProtoPlace = ({ generation, bucket, tokens }: RateReservation) => ({
  generation: toInt64(generation),
  bucket,
  tokens: toInt64(tokens),
});

/** Likewise to one that is refused. */
export const encodeRefusal = (requestId: string, error: GatewayError, awaitsSettlement: boolean): Buffer =>
  responseSerialize({ replies: [{ requestId, refusal: toErrorDetail(error), awaitsSettlement }] });
