import { type Account, timeoutsOfProvider } from '@gateway/upstream';
import type { ProviderCall } from '../images/rules/image-provider';
import type { TaskReport, VideoProvider } from './rules/video-provider';
import type { NewTask } from './rules/video-task';

export type VideoAccount = Account<VideoProvider>;

/** The video providers that are configured now. */
export interface VideoProviders {
  ids(): Iterable<string>;
  /** Returns the accounts at a provider; none if it is not configured. */
  accountsOf(provider: string): readonly VideoAccount[];
}

/** Returns the account that created the task; if it is not there, all of its provider, which may be able to find the task. */
export function accountsOfTask(
  { accountsOf }: Pick<VideoProviders, 'accountsOf'>,
  { provider, credentialId }: Pick<NewTask, 'provider' | 'credentialId'>,
): readonly VideoAccount[] {
  const accounts = accountsOf(provider);
  const own = accounts.filter(({ credential }) => credential.id === credentialId);
  return own.length > 0 ? own : accounts;
}

/** For the log. */
const CREDENTIAL_GONE = 'CREDENTIAL_GONE';

/**
 * Returns what the account that created the task reports, or else the first account that knows it. That other accounts do not know a
 * task says nothing of it, so it is then a failure: its credential may be back later.
 * @param accounts at least one
 * @throws UpstreamError how the account failed; Error `CREDENTIAL_GONE` if another account is needed
 */
export async function pollTask(
  accounts: readonly VideoAccount[],
  task: Pick<NewTask, 'credentialId' | 'upstreamId' | 'upstreamModel'>,
  call: ProviderCall,
): Promise<TaskReport> {
  const { credentialId } = task;
  const poll = ({ provider }: VideoAccount) =>
    provider.poll(task, { ...call, timeouts: timeoutsOfProvider(call.timeouts, provider.connection) });
  const [first] = accounts;
  const isOnly = accounts.length === 1 && (credentialId ?? first?.credential.id) === first?.credential.id;
  if (first && isOnly) return poll(first);
  let failure: unknown;
  for (const account of accounts) {
    try {
      const report = await poll(account);
      if (report.state !== 'unknown') return report;
    } catch (error) {
      failure = error;
    }
  }
  const gone = new Error('no credential of the provider knows the task', { cause: failure });
  throw Object.assign(gone, { code: CREDENTIAL_GONE });
}
