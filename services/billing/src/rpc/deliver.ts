import type { DeliverRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/DeliverRequest';
import type { DeliverResponse } from '@gateway/proto/generated/gateway/billing/v1/DeliverResponse';
import type { RequestContext } from '@gateway/rpc';
import { type Delivery, type DeliveryOutcome, deliveryOfMessage } from '../settle/rules/delivery';

/** Answers when every event is durably settled or stored as a dead letter; fails if that fails for one of them. */
export const deliver =
  (settle: (delivery: Delivery) => Promise<DeliveryOutcome>) =>
  async (_context: RequestContext, request: DeliverRequest__Output): Promise<DeliverResponse> => {
    await Promise.all(request.events.map((event) => settle(deliveryOfMessage(event))));
    return {};
  };
