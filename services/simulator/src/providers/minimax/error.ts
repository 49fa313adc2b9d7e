import { ProviderError } from '../provider-error';

/**
 * An error body of MiniMax's v2, whose message ends with the code, as platform.minimax.io shows them. With a status
 * below 300 it is v1's: `base_resp` in a reply that looks like success.
 */
export class MinimaxError extends ProviderError {
  constructor(
    status: number,
    readonly type: string,
    readonly code: number,
    message: string,
  ) {
    super(status, message);
  }

  toBody(id: string): unknown {
    const { status, type, code, message } = this;
    if (status < 300) return { task_id: '', base_resp: { status_code: code, status_msg: message } };
    const error = { type, message: `${message} (${code})`, http_code: String(status) };
    return { type: 'error', error, request_id: id };
  }
}

type Usual = readonly [type: string, code: number, message: string];

const SERVER: Usual = ['server_error', 1000, 'internal error'];
const ERRORS: Readonly<Record<number, Usual>> = {
  200: ['insufficient_balance_error', 1008, 'insufficient balance'],
  401: ['authorized_error', 1004, 'login fail'],
  402: ['insufficient_balance_error', 1008, 'insufficient balance'],
  404: ['not_found_error', 2013, 'not found'],
  422: ['unprocessable_entity_error', 1026, 'video description contains sensitive content'],
  429: ['rate_limit_error', 1002, 'rate limit, please retry later'],
};

export function errorOfStatus(status: number, message?: string): MinimaxError {
  const bad: Usual = ['bad_request_error', 2013, 'invalid params'];
  const [type, code, usual] = ERRORS[status] ?? (status >= 500 ? SERVER : bad);
  return new MinimaxError(status, type, code, message ?? usual);
}

export const invalid = (message: string) => errorOfStatus(400, `invalid params, ${message}`);
export const contentPolicy = () => errorOfStatus(422);
