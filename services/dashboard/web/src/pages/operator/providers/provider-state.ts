import type { CircuitState, CredentialHealth, Health, Provider } from '../../../api/admin-providers';
import { isUnhealthy, isUsed } from './target-state';

/** A state in words. `status` is the color of its badge. */
export interface StateInWords {
  readonly label: string;
  readonly status: string;
  readonly detail?: string;
}

const CREDENTIALS: Readonly<Record<CircuitState, StateInWords>> = {
  closed: { label: 'Working', status: 'closed' },
  cooling: { label: 'Rate limited', status: 'cooling', detail: 'Others are used first' },
  suspect: { label: 'Rejected recently', status: 'suspect', detail: 'Others are used first' },
  open: { label: 'Rejected', status: 'open', detail: 'No requests until a probe succeeds' },
  'half-open': { label: 'Being probed', status: 'half-open', detail: 'One request tests it' },
};

const SPENT = 'Daily cost limit reached';

export function credentialState({ enabled, circuit, limited_until }: CredentialHealth): StateInWords {
  if (!enabled) return { label: 'Disabled', status: 'off' };
  if (limited_until !== null)
    return { label: SPENT, status: 'cooling', detail: 'No requests until midnight UTC' };
  if (circuit === null) return { label: 'Not used yet', status: 'off' };
  return CREDENTIALS[circuit];
}

/** Worst first. */
const WORST = [
  { circuit: 'open', of: 'credential', label: 'Credential rejected' },
  { circuit: 'open', of: 'target', label: 'Failing' },
  { circuit: 'suspect', of: 'credential', label: 'Credential rejected' },
  { circuit: 'suspect', of: 'target', label: 'Failed recently' },
  { circuit: 'half-open', of: 'credential', label: 'Being probed' },
  { circuit: 'half-open', of: 'target', label: 'Being probed' },
  { circuit: 'cooling', of: 'credential', label: 'Rate limited' },
  { circuit: 'cooling', of: 'target', label: 'Rate limited' },
] as const;

/** Returns the worst state of a provider's credentials and targets. */
export function providerState(provider: Provider): StateInWords {
  const { source, enabled, served_by, targets } = provider;
  if (!enabled) return { label: 'Disabled', status: 'off', detail: 'It gets no requests' };
  if (source === null && served_by === 'nobody') return notConfigured(provider);
  const credentials = provider.credentials.filter((credential) => credential.enabled);
  if (source === 'catalog' && credentials.length === 0) {
    return { label: 'No usable credential', status: 'away', detail: 'It gets no requests' };
  }
  const spent = credentials.filter(({ limited_until }) => limited_until !== null).length;
  if (spent > 0 && spent === credentials.length) {
    return { label: SPENT, status: 'away', detail: 'It gets no requests until midnight UTC' };
  }
  const all: Readonly<Record<'credential' | 'target', readonly Health[]>> = {
    credential: credentials,
    target: targets,
  };
  for (const { circuit, of, label } of WORST) {
    const count = all[of].filter((one) => one.circuit === circuit).length;
    if (count > 0) return { label, status: circuit, detail: `${count} of ${counted(all[of].length, of)}` };
  }
  if (spent > 0) {
    const detail = `${spent} of ${counted(credentials.length, 'credential')}`;
    return { label: SPENT, status: 'cooling', detail };
  }
  const failing = targets.filter((target) => isUnhealthy(target, served_by)).length;
  if (failing > 0) {
    return { label: 'Failing', status: 'open', detail: `${failing} of ${counted(targets.length, 'target')}` };
  }
  if (served_by === null) return { label: 'Unknown', status: 'off', detail: 'No instance answers' };
  const { calls } = totals(provider);
  return calls > 0 ? { label: 'Healthy', status: 'closed' } : { label: 'No recent requests', status: 'off' };
}

function notConfigured({ targets }: Provider): StateInWords {
  const isNamed = targets.some(({ models }) => models.length > 0);
  const label = 'Not configured';
  return isNamed
    ? { label, status: 'away', detail: 'Requests to its models fail' }
    : { label, status: 'off' };
}

/** A credential or a target of it gets no requests, or all its requests fail. */
export const isUnhealthyProvider = (provider: Provider): boolean =>
  ['open', 'suspect', 'half-open', 'away'].includes(providerState(provider).status) ||
  provider.targets.some((target) => isUnhealthy(target, provider.served_by));

export const isUsedProvider = (provider: Provider): boolean =>
  isUnhealthyProvider(provider) || provider.targets.some((target) => isUsed(target, provider.served_by));

/** Returns the calls of all targets. */
export const totals = ({ targets }: Provider): Pick<Health, 'calls' | 'errors'> => ({
  calls: targets.reduce((sum, { calls }) => sum + calls, 0),
  errors: targets.reduce((sum, { errors }) => sum + errors, 0),
});

export const counted = (count: number, of: string): string => `${count} ${count === 1 ? of : `${of}s`}`;
