import { type JsonAnswer, requestJson } from './loopback-json';

export interface Account {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly token: string;
}

export interface Balance {
  readonly balance: number;
  readonly held: number;
  readonly available: number;
}

/** A client of the dashboard's API through edge. */
export class DashboardApi {
  readonly #origin: string;

  constructor(dashboardUrl: string) {
    this.#origin = dashboardUrl;
  }

  /** Makes a call; throws unless the status is 200. */
  // biome-ignore lint/suspicious/noExplicitAny: the caller knows what it asked for.
  async call(method: 'GET' | 'POST', path: string, token?: string, body?: unknown): Promise<any> {
    const answer = await this.tryCall(method, path, token, body);
    if (answer.status === 200) return answer.body;
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }

  tryCall(method: 'GET' | 'POST', path: string, token?: string, body?: unknown): Promise<JsonAnswer> {
    return requestJson(method, `${this.#origin}/api/v1/${path}`, token, body);
  }

  async register(email: string, password: string, name: string): Promise<Account> {
    const { token, account } = await this.call('POST', 'auth/register', undefined, { email, password, name });
    return { id: account.id, email, password, token };
  }

  /** Returns undefined for a wrong email or password. */
  async login(email: string, password: string): Promise<string | undefined> {
    const answer = await this.tryCall('POST', 'auth/login', undefined, { email, password });
    if (answer.status === 401) return undefined;
    if (answer.status !== 200) throw new Error(`login: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.token;
  }

  balance(token: string): Promise<Balance> {
    return this.call('GET', 'billing/balance', token);
  }

  /** @param settings the key's limits as in the API */
  async createKey(token: string, name: string, settings: object = {}): Promise<{ id: string; key: string }> {
    return this.call('POST', 'keys', token, { name, ...settings });
  }

  /** As an operator. */
  async topUp(operatorToken: string, accountId: string, amountUsd: number): Promise<void> {
    const body = { amount: amountUsd, status: 'cleared' };
    await this.call('POST', `admin/accounts/${accountId}/topups`, operatorToken, body);
  }
}
