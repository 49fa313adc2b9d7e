import type { ProtoGrpcType } from '@gateway/proto/generated/billing';
import { loadService } from '@gateway/rpc';

/** The methods of BillingService. */
export const { service: definition } =
  loadService<ProtoGrpcType>('billing').gateway.billing.v1.BillingService;
