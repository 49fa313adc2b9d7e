import type { PoolClient } from '@gateway/postgres';
import type { NewTask } from '../videos/rules/video-task';
import type { TaskRow } from './task-rows';

/** @param firstPollMs time until the first poll */
export async function insertTask(client: PoolClient, task: NewTask, firstPollMs: number): Promise<TaskRow> {
  const { rows } = await client.query<TaskRow>({
    name: 'insert-task',
    text: `INSERT INTO media.tasks (id, request_id, account_id, key_id, model, provider, upstream_model, upstream_id,
        tier, requested_ms, per_second_nano, credential_id, next_look_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, now() + $13::bigint * interval '1 millisecond')
      RETURNING *`,
    values: [
      task.id,
      task.requestId,
      task.accountId,
      task.keyId,
      task.model,
      task.provider,
      task.upstreamModel,
      task.upstreamId,
      task.tier,
      task.requestedMs,
      task.perSecondNano,
      task.credentialId ?? null,
      firstPollMs,
    ],
  });
  return rows[0]!;
}
