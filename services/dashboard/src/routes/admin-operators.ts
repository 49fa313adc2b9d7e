import { z } from 'zod';
import { type RegisterDependencies, registerUser } from '../actions/register-user';
import { temporaryPassword } from '../security/first-password';
import { demoteOperator, listOperators, type Operator, promoteUser } from '../store/operators';
import { emailAddress } from './auth';
import { type Endpoint, endpoint } from './endpoint';
import { label } from './parse-input';
import { addedOperatorResponse, operatorResponse, operatorsResponse } from './responses';

const addBody = z.strictObject({ email: emailAddress, name: label(200).optional() });

/** The operators of the gateway; the last one can't be removed. */
export const adminOperatorEndpoints = (deps: RegisterDependencies): Endpoint[] => [
  endpoint('operator', 'GET /admin/operators', {
    summary: 'List the operators of the gateway',
    response: operatorsResponse,
    handle: async () => ({ data: (await listOperators(deps.pool)).map(toOperatorJson) }),
  }),
  endpoint('operator', 'POST /admin/operators', {
    summary:
      'Make a user an operator. An unknown email becomes a user with an account, whose first password the response has; it is shown once',
    body: addBody,
    response: addedOperatorResponse,
    codes: ['too_many_attempts'],
    async handle({ context, address, body: { email, name = email } }) {
      const promoted = await promoteUser(deps.pool, email);
      if (promoted) return { ...toOperatorJson(promoted), password: null };
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
      'Take the permissions of an operator from a user, who keeps the account; not from the last operator',
    response: operatorResponse,
    handle: async ({ params }) => toOperatorJson(await demoteOperator(deps.pool, params.id ?? '')),
  }),
];

const toOperatorJson = ({ id, email, name, accountId, mustChangePassword }: Operator) => ({
  id,
  email,
  name,
  account_id: accountId,
  must_change_password: mustChangePassword,
});
