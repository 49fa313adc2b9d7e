import { z } from 'zod';
import type { Billing } from '../clients/billing';
import { settingsAnswer } from './answers';
import type { Endpoint, UserCall } from './endpoint';
import { parseBody } from './parse-input';
import { toSettingsJson } from './to-json';

const settingsBody = z.strictObject({ bare_model_names: z.boolean().optional() });

/** Settings of an account that apply to keys without a setting of their own. */
export function settingsEndpoints(billing: Billing): Endpoint[] {
  return [
    {
      method: 'GET',
      path: '/account/settings',
      access: 'viewer',
      handle: (call) => getSettings(billing, call),
      doc: { summary: "Retrieve the account's default settings for its keys", answer: settingsAnswer },
    },
    {
      method: 'POST',
      path: '/account/settings',
      access: 'owner',
      handle: (call) => setSettings(billing, call),
      doc: {
        summary: "Update the account's default settings for its keys; omitted fields stay unchanged",
        body: settingsBody,
        answer: settingsAnswer,
      },
    },
  ];
}

async function getSettings(billing: Billing, { context, user }: UserCall) {
  return toSettingsJson(await billing.getAccount(context, user.accountId));
}

async function setSettings(billing: Billing, { context, user, body }: UserCall) {
  const { bare_model_names } = parseBody(settingsBody, body);
  const account = await billing.updateAccountLimits(context, {
    id: user.accountId,
    ...(bare_model_names !== undefined && { bareModelNames: bare_model_names }),
  });
  return toSettingsJson(account);
}
