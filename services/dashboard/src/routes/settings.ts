import { settingsBody, settingsResponse } from '../api/accounts';
import type { Billing } from '../clients/billing';
import { type Endpoint, endpoint } from './endpoint';
import { toSettingsJson } from './to-json';

/** Account settings that apply to keys without their own setting. */
export const settingsEndpoints = (billing: Billing): Endpoint[] => [
  endpoint('viewer', 'GET /account/settings', {
    summary: "Retrieve the account's default settings for its keys",
    response: settingsResponse,
    handle: async ({ context, user }) => toSettingsJson(await billing.getAccount(context, user.accountId)),
  }),
  endpoint('owner', 'POST /account/settings', {
    summary: "Update the account's default settings for its keys; omitted fields stay unchanged",
    body: settingsBody,
    response: settingsResponse,
    async handle({ context, user, body: { bare_model_names } }) {
      const account = await billing.updateAccountLimits(context, {
        id: user.accountId,
        ...(bare_model_names !== undefined && { bareModelNames: bare_model_names }),
      });
      return toSettingsJson(account);
    },
  }),
];
