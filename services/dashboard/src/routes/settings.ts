import { z } from 'zod';
import type { Billing } from '../clients/billing';
import { settingsAnswer } from './answers';
import type { Endpoint, UserCall } from './endpoint';
import { parseBody } from './parse-input';
import { toSettingsJson } from './to-json';

const settingsBody = z.strictObject({ bare_model_names: z.boolean().optional() });

/** Settings of an account that its keys follow, unless they have their own. */
export function settingsEndpoints(billing: Billing): Endpoint[] {
  return [
    {
      method: 'GET',
      path: '/account/settings',
      access: 'viewer',
      handle: (call) => getSettings(billing, call),
      doc: { summary: 'Settings of the account that its keys follow', answer: settingsAnswer },
    },
    {
      method: 'POST',
      path: '/account/settings',
      access: 'owner',
      handle: (call) => setSettings(billing, call),
      doc: {
        summary: 'Change settings of the account; what is left out stays',
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
