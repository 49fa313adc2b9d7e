import type { TaskState } from '../videos/rules/task';
import type { VideoTask } from '../videos/rules/video-task';

/** Columns of table media.tasks. */
export interface TaskRow {
  id: string;
  request_id: string;
  account_id: string;
  key_id: string;
  model: string;
  provider: string;
  credential_id: string | null;
  upstream_model: string;
  upstream_id: string;
  tier: string;
  requested_ms: bigint;
  per_second_nano: bigint;
  state: TaskState;
  cost_nano: bigint | null;
  video_ms: bigint | null;
  detail: string | null;
  created_at: Date;
  ended_at: Date | null;
  failed_looks: number;
  unpriced_looks: number;
  unknown_ms: bigint;
  claim: bigint;
}

export function fromTaskRow(row: TaskRow): VideoTask {
  return {
    id: row.id,
    requestId: row.request_id,
    accountId: row.account_id,
    keyId: row.key_id,
    model: row.model,
    provider: row.provider,
    ...(row.credential_id !== null && { credentialId: row.credential_id }),
    upstreamModel: row.upstream_model,
    upstreamId: row.upstream_id,
    tier: row.tier,
    requestedMs: row.requested_ms,
    perSecondNano: row.per_second_nano,
    state: row.state,
    createdAtMs: row.created_at.getTime(),
    problems: {
      failedPolls: row.failed_looks,
      unpricedPolls: row.unpriced_looks,
      unknownMs: Number(row.unknown_ms),
    },
    ...(row.ended_at && { endedAtMs: row.ended_at.getTime() }),
    ...(row.cost_nano !== null && { costNano: row.cost_nano }),
    ...(row.video_ms !== null && { videoMs: row.video_ms }),
    ...(row.detail !== null && { detail: row.detail }),
  };
}
