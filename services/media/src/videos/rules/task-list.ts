import { GatewayError } from '@gateway/errors';
import { isTaskId } from './task-request';

/** Selects tasks of an account, newest first. */
export interface TaskListRequest {
  readonly limit: number;
  /** Tasks created before this one. */
  readonly after?: string;
  /** The task that this call created. */
  readonly requestId?: string;
}

const DEFAULT_LIMIT = 20;
const PARAMETERS: ReadonlySet<string> = new Set(['limit', 'after', 'request_id']);
const LIMIT = /^([1-9]\d?|100)$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Parses the query of `GET /v1/videos`. @throws GatewayError `invalid_request` */
export function parseTaskList(query: string): TaskListRequest {
  const params = new URLSearchParams(query);
  for (const name of params.keys()) {
    if (!PARAMETERS.has(name)) throw invalid(`${name.slice(0, 100)}: unknown parameter`);
    if (params.getAll(name).length > 1) throw invalid(`${name}: given more than once`);
  }
  const [limit, after, requestId] = ['limit', 'after', 'request_id'].map((name) => params.get(name));
  if (limit != null && !LIMIT.test(limit)) throw invalid('limit: not a number from 1 to 100');
  if (after != null && !isTaskId(after)) throw invalid('after: not the id of a task');
  if (requestId != null && !UUID.test(requestId)) throw invalid('request_id: not the id of a request');
  return {
    limit: limit == null ? DEFAULT_LIMIT : Number(limit),
    ...(after != null && { after }),
    ...(requestId != null && { requestId }),
  };
}

const invalid = (detail: string) => new GatewayError('invalid_request', { detail });
