import { GatewayError } from '@gateway/errors';
import { isEmpty, missingParameter } from '@gateway/json-body';

const TASK_ID = /^task_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether it can be a task's id; other values may contain characters that the database refuses. */
export const isTaskId = (id: string): boolean => TASK_ID.test(id);

/** Parses the body of a query about a task. @throws GatewayError `invalid_request`, then `missing_parameter` */
export function parseTaskRequest(value: Readonly<Record<string, unknown>>): string {
  const { task_id: id, ...others } = value;
  const [stray] = Object.keys(others);
  if (stray !== undefined) {
    throw new GatewayError('invalid_request', { detail: `${stray.slice(0, 100)}: unknown field` });
  }
  if (isEmpty(id)) throw missingParameter('task_id');
  if (typeof id === 'string') return id;
  throw new GatewayError('invalid_request', { detail: 'task_id: not a string' });
}
