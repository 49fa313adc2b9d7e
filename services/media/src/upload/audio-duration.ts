import { setTimeout as sleep } from 'node:timers/promises';
import { type AudioKind, AudioMeasurement, type Duration } from '@gateway/audio';
import { GatewayError } from '@gateway/errors';
import { CpuTimeQuota, threadCpuMs } from '@gateway/quota';
import type { Upload } from '../domain/upload';

export interface AudioDuration {
  /** By the frames of the file. */
  readonly measuredMs: number;
  /** Bound, for the hold. */
  readonly maximumMs: number;
}

/** Providers count whole seconds, some by a decoder that pads the audio. */
const MARGIN_MS = 2_000;
/** Time to read a file: 50 MiB take some 0.2 s of CPU, and files that are made to be slow a multiple. */
const READ_MS = 10_000;
/** CPU time for one piece of a file, in any case. */
const PIECE_MS = 5;
const NEXT_TRY_MS = 50;

/** Returns a quota of CPU time for reading audio. @param limitMs per second for all accounts */
export const audioCpuQuota = (limitMs = 400, nowMs = () => performance.now()): CpuTimeQuota =>
  new CpuTimeQuota({ nowMs, cpuMs: threadCpuMs, limitMs, minimumMs: 0 });

/**
 * Reads the duration of an audio file from its frames, because its headers may claim any.
 * @throws GatewayError `rate_limited` if the account's quota of CPU time does not suffice within `readMs`
 */
export async function durationOf(
  upload: Upload,
  accountId: string,
  cpu: CpuTimeQuota,
  readMs = READ_MS,
): Promise<AudioDuration> {
  const measurement = new AudioMeasurement(upload.kind as AudioKind, upload.bytes);
  const endsMs = performance.now() + readMs;
  const push = async (piece: Buffer) => {
    while (!cpu.run(accountId, PIECE_MS, (budgetMs) => budgetMs > 0 && pushed(measurement, piece))) {
      if (performance.now() > endsMs)
        throw new GatewayError('rate_limited', {
          detail: 'reading the duration of your audio files takes too much CPU time',
          retryAfterSeconds: 1,
        });
      await sleep(NEXT_TRY_MS);
    }
  };
  let duration: Duration | undefined;
  while (!duration) {
    for await (const piece of upload.open()) {
      if (measurement.isDone) break;
      await push(piece);
    }
    duration = measurement.end();
  }
  const { seconds, maxSeconds } = duration;
  return { measuredMs: seconds * 1_000, maximumMs: Math.ceil(maxSeconds) * 1_000 + MARGIN_MS };
}

function pushed(measurement: AudioMeasurement, piece: Buffer): true {
  measurement.push(piece);
  return true;
}
