import { ProviderError } from '../provider-error';

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

/**
 * Returns an error of MiniMax's v2, whose message ends with the code (platform.minimax.io). With a status below 300 it has
 * v1's format: `base_resp` in a reply that looks successful.
 */
export function errorOfStatus(status: number, message?: string): ProviderError {
  const bad: Usual = ['bad_request_error', 2013, 'invalid params'];
  const [type, code, usual] = ERRORS[status] ?? (status >= 500 ? SERVER : bad);
  const text = message ?? usual;
  const error = { type, message: `${text} (${code})`, http_code: String(status) };
  return new ProviderError(status, text, (id) =>
    status < 300
      ? { task_id: '', base_resp: { status_code: code, status_msg: text } }
      : { type: 'error', error, request_id: id },
  );
}

export const invalid = (message: string) => errorOfStatus(400, `invalid params, ${message}`);
export const contentPolicy = () => errorOfStatus(422);
