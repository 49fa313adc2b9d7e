import type { QuotaMetrics } from '@gateway/process';
import { Quota } from '@gateway/quota';
import type { Failover, TargetHealth } from '@gateway/upstream';
import type { Admission } from '../billing/admission';
import type { Settings } from '../settings';
import type { AnswerAudioDeps } from './answer-audio';
import { AudioCalls } from './audio-calls';

export interface AudioOptions extends Pick<AnswerAudioDeps, 'models' | 'keys' | 'providers'> {
  readonly settings: Settings;
  readonly failover: Failover;
  readonly admission: Admission;
  readonly health: TargetHealth;
  readonly quotas: QuotaMetrics;
}

/** Calls in flight: each may keep a file on disk, a transcript in memory and a connection open. */
const MAX_CALLS = 1_000;
const ACCOUNT_PART = 1 / 4;
/** If a provider hangs, its calls last for minutes, and the others need the rest. */
const PROVIDER_PART = 3 / 4;

/** Constructs everything for calls for speech and transcriptions. */
export function openAudio({ settings, quotas, failover, ...options }: AudioOptions): {
  readonly deps: AnswerAudioDeps;
  readonly calls: AudioCalls;
} {
  const calls = new AudioCalls({
    failover,
    timeouts: {
      connectMs: settings.UPSTREAM_CONNECT_TIMEOUT_MS,
      firstByteMs: settings.AUDIO_TIMEOUT_MS,
      idleMs: settings.UPSTREAM_IDLE_TIMEOUT_MS,
    },
    timeoutMs: settings.AUDIO_TIMEOUT_MS,
  });
  const accountCalls = new Quota({ limit: MAX_CALLS, perHolder: MAX_CALLS * ACCOUNT_PART });
  const providerCalls = new Quota({ limit: MAX_CALLS, perHolder: MAX_CALLS * PROVIDER_PART });
  quotas.track('audio_calls', accountCalls);
  return { deps: { ...options, calls, accountCalls, providerCalls }, calls };
}
