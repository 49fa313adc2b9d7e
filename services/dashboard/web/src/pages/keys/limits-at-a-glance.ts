import { formatCompact } from '../../ui/format-count';
import { formatMoney } from '../../ui/format-money';
import type { KeyFormValues } from './key-form-values';

/** Returns the key's limits in short: `$5.00 per day`, `60 RPM`. */
export function limitsAtAGlance(limits: KeyFormValues): string[] {
  const { daily_limit, monthly_limit, request_cost_limit, rpm_limit, tpm_limit } = limits;
  return [
    daily_limit !== null && `${formatMoney(daily_limit)} per day`,
    monthly_limit !== null && `${formatMoney(monthly_limit)} per month`,
    request_cost_limit !== null && `${formatMoney(request_cost_limit)} per request`,
    rpm_limit !== null && `${formatCompact(rpm_limit)} RPM`,
    tpm_limit !== null && `${formatCompact(tpm_limit)} TPM`,
  ].filter((text) => text !== false);
}
