import { loadService } from '@gateway/proto';
import type { ProtoGrpcType } from '@gateway/proto/generated/billing';

/** The methods of BillingService. */
export const { service: definition } =
  loadService<ProtoGrpcType>('billing').gateway.billing.v1.BillingService;
