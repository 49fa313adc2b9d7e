import type { Logger } from '@gateway/process';
import type { BillingServiceClient } from '@gateway/proto/generated/gateway/billing/v1/BillingService';
import { callUnary } from '@gateway/rpc';
import { RefusalReporter } from './refusal-reporter';

const TIMEOUT_MS = 5_000;

/** Returns a reporter that sends to billing. */
export const createRefusalReporter = (client: BillingServiceClient, log: Logger): RefusalReporter =>
  new RefusalReporter({
    send: (report) => callUnary(client, client.ReportRefusals, report, { timeoutMs: TIMEOUT_MS }),
    log,
  });
