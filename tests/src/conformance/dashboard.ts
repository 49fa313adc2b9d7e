import { randomBytes } from 'node:crypto';
import type { HttpAnswer } from '../support/http';
import type { ConformanceCase, World } from './case';

/** Limit of wrong passwords for one email. */
const LOGIN_LIMIT = 10;

const post = ({ caller }: World, path: string, body: object): Promise<HttpAnswer> =>
  caller.dashboard('POST', `/api/v1/auth/${path}`, {}, body);

const newEmail = () => `${randomBytes(8).toString('hex')}@example.com`;

/** Codes that only the dashboard's API has. */
export const DASHBOARD_CASES: readonly ConformanceCase[] = [
  {
    code: 'invalid_credentials',
    when: 'a wrong password',
    provoke: (world) => post(world, 'login', { email: world.customer.email, password: 'not this one' }),
  },
  {
    code: 'invalid_credentials',
    when: 'an unknown email',
    provoke: (world) => post(world, 'login', { email: newEmail(), password: 'password-1' }),
  },
  {
    code: 'email_taken',
    when: 'an email that is registered already',
    provoke: (world) =>
      post(world, 'register', { email: world.customer.email, password: 'password-1', name: 'again' }),
  },
  {
    code: 'too_many_attempts',
    when: 'repeated wrong passwords',
    async provoke(world) {
      const login = { email: newEmail(), password: 'password-1' };
      for (let i = 0; i < LOGIN_LIMIT; i++) await post(world, 'login', login);
      return post(world, 'login', login);
    },
  },
];
