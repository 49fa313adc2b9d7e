import { GatewayError } from '@gateway/errors';
import { isEmpty, missingParameter } from '@gateway/json-body';

const TASK_ID = /^task_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether it can be the id of a task at all; what is none may hold what no database takes. */
export const isTaskId = (id: string): boolean => TASK_ID.test(id);

/** The body of a question about a task. @throws GatewayError `invalid_request`, then `missing_parameter` */
export function parseTaskRequest(value: Readonly<Record<string, unknown>>): string {
  const { task_id: id, ...others } = value;
  const [stray] = Object.keys(others);
  if (stray !== undefined) {
    throw new GatewayError('invalid_request', { detail: `${stray.slice(0, 100)}: no field of this call` });
  }
  if (isEmpty(id)) throw missingParameter('task_id');
  if (typeof id === 'string') return id;
  throw new GatewayError('invalid_request', { detail: 'task_id: not a string' });
}
