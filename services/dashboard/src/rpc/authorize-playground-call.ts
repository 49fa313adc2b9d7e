import { GatewayError } from '@gateway/errors';
import type { AuthorizePlaygroundCallRequest__Output } from '@gateway/proto/generated/gateway/dashboard/v1/AuthorizePlaygroundCallRequest';
import type { AuthorizePlaygroundCallResponse } from '@gateway/proto/generated/gateway/dashboard/v1/AuthorizePlaygroundCallResponse';
import type { RequestContext } from '@gateway/rpc';
import type { Billing } from '../clients/billing';
import { canCall } from '../domain/access';
import type { Login } from '../domain/user';

export interface PlaygroundDependencies {
  readonly billing: Billing;
  authenticate(loginToken: string): Promise<Login>;
}

export const authorizePlaygroundCall =
  ({ billing, authenticate }: PlaygroundDependencies) =>
  async (
    context: RequestContext,
    { loginToken, keyId }: AuthorizePlaygroundCallRequest__Output,
  ): Promise<AuthorizePlaygroundCallResponse> => {
    const { user } = await authenticate(loginToken);
    if (user.mustChangePassword || !canCall(user, keyId === '' ? 'viewer' : 'member'))
      throw new GatewayError('not_found');
    if (keyId === '') return {};
    // Unlike getKeyContext, it distinguishes another account's key (`not_found`) from a disabled key.
    await billing.getKey(context, user.accountId, keyId);
    try {
      return { key: await billing.getKeyContext(context, user.accountId, keyId) };
    } catch (error) {
      // 401 would tell the client that its login has ended.
      if (!(error instanceof GatewayError) || error.row.status !== 401) throw error;
      throw new GatewayError('invalid_request', { detail: `key_id: ${error.message}`, cause: error });
    }
  };
