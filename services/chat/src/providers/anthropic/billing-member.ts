import { withoutBillingLine } from '../../domain/billing-line';
import type { MemberOverrides } from '../../domain/pass-through-change';

/** Returns the member `system` without the line that only Anthropic reads, if it has one. */
export function withoutBillingMember(system: unknown): MemberOverrides {
  const written = withoutBillingLine(system);
  if (written === system) return new Map();
  return new Map([['system', written === undefined ? undefined : JSON.stringify(written)]]);
}
