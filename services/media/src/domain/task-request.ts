import { GatewayError } from '@gateway/proto';
import { isEmpty, missingParameter } from './missing-parameter';

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
