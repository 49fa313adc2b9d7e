import { GatewayError } from '@gateway/errors';
import { type RegisterDependencies, registerUser } from '../actions/register-user';
import {
  addedOperatorResponse,
  addOperatorBody,
  type Operator as OperatorJson,
  operatorResponse,
  operatorsResponse,
} from '../api/operators';
import { temporaryPassword } from '../security/first-password';
import { demoteOperator, listOperators, type Operator } from '../store/operators';
import { findUserByEmail } from '../store/users';
import { type Endpoint, endpoint } from './endpoint';

/** The operators of the gateway; the last one with a password of their own can't be removed. */
export const adminOperatorEndpoints = (deps: RegisterDependencies): Endpoint[] => [
  endpoint('operator', 'GET /admin/operators', {
    summary: 'List the operators of the gateway',
    response: operatorsResponse,
    handle: async () => ({ data: (await listOperators(deps.pool)).map(toOperatorJson) }),
  }),
  endpoint('operator', 'POST /admin/operators', {
    summary:
      'Add an operator: a new user with an account, whose first password the response has; it is shown once',
    body: addOperatorBody,
    response: addedOperatorResponse,
    codes: ['email_taken', 'too_many_attempts'],
    async handle({ context, address, body: { email, name = email } }) {
      // A user is not promoted: emails are not verified, so anyone could have taken it.
      if (await findUserByEmail(deps.pool, email)) {
        throw new GatewayError('email_taken', {
          detail: 'email: belongs to a user already, and an operator is a new user',
        });
      }
      const password = temporaryPassword();
      const { id, accountId } = await registerUser(deps, context, {
        email,
        name,
        password,
        operator: true,
        mustChangePassword: true,
        address,
      });
      const operator = { id, email, name, accountId, mustChangePassword: true };
      return { ...toOperatorJson(operator), password };
    },
  }),
  endpoint('operator', 'POST /admin/operators/:id/remove', {
    summary:
      'Take the permissions of an operator from a user, who keeps the account; not from the last one who has changed the first password',
    response: operatorResponse,
    handle: async ({ params }) => toOperatorJson(await demoteOperator(deps.pool, params.id ?? '')),
  }),
];

const toOperatorJson = ({ id, email, name, accountId, mustChangePassword }: Operator): OperatorJson => ({
  id,
  email,
  name,
  account_id: accountId,
  must_change_password: mustChangePassword,
});
