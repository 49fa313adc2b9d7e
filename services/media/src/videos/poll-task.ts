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

/**
 * Returns what the account that created the task reports, or else the first account that knows it. That other accounts do not know a
 * task says nothing of it, so it is then a failure: its credential may be back later.
 * @throws UpstreamError the failure of the last account; Error if no account can be asked
 */
export async function pollTask(
  accounts: readonly VideoAccount[],
  task: Pick<NewTask, 'credentialId' | 'upstreamId' | 'upstreamModel'>,
  call: ProviderCall,
): Promise<TaskReport> {
  const { credentialId } = task;
  let failure: unknown = new Error('the provider has no usable credential');
  for (const { provider, credential } of accounts) {
    try {
      const timeouts = timeoutsOfProvider(call.timeouts, provider.connection);
      const report = await provider.poll(task, { ...call, timeouts });
      const isOwn = credential.id === credentialId || (credentialId === undefined && accounts.length === 1);
      if (isOwn || report.state !== 'unknown') return report;
      failure = new Error('the credential that created the task is gone, and no other one knows the task');
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
