import { join } from 'node:path';
import { DashboardApi, readJsonFile, requestJson, type Stack, writeJsonFile } from '@gateway/local-stack';

/** Content of `demo.json`. */
export interface Demo {
  readonly base_url: string;
  readonly dashboard_url: string;
  readonly api_key: string;
  readonly email: string;
  readonly password: string;
  readonly admin_email: string;
  readonly admin_password: string;
}

const EMAIL = 'demo@gateway.local';
const FIRST_TOP_UP_USD = 10;

/** Creates the demo account, unless `demo.json` has a valid key of it, and writes `demo.json`. */
export async function provisionDemo(stack: Stack): Promise<Demo> {
  const file = join(stack.dataDir, 'demo.json');
  const { demoPassword, adminEmail, adminPassword } = stack.secrets;
  const stored = readJsonFile<Demo>(file)?.api_key;
  const apiKey = stored && (await isValid(stack, stored)) ? stored : await createAccount(stack);
  const demo: Demo = {
    base_url: stack.apiUrl,
    dashboard_url: stack.dashboardUrl,
    api_key: apiKey,
    email: EMAIL,
    password: demoPassword,
    admin_email: adminEmail,
    admin_password: adminPassword,
  };
  writeJsonFile(file, demo);
  return demo;
}

async function isValid(stack: Stack, apiKey: string): Promise<boolean> {
  return (await requestJson('GET', `${stack.apiUrl}/v1/models`, apiKey)).status === 200;
}

/** Creates the account with a balance and returns a new key. Idempotent, because an earlier start may have been interrupted. */
async function createAccount(stack: Stack): Promise<string> {
  const { demoPassword, adminEmail, adminPassword } = stack.secrets;
  const api = new DashboardApi(stack.dashboardUrl);
  const token =
    (await api.login(EMAIL, demoPassword)) ?? (await api.register(EMAIL, demoPassword, 'Demo')).token;
  const topUps = await api.call('GET', 'billing/topups', token);
  if (topUps.data.length === 0) {
    const operator = await api.login(adminEmail, adminPassword);
    if (!operator)
      throw new Error(`the operator ${adminEmail} can't log in; check ADMIN_EMAIL and ADMIN_PASSWORD`);
    const { account_id: accountId } = await api.call('GET', 'billing/balance', token);
    await api.topUp(operator, accountId, FIRST_TOP_UP_USD);
  }
  return (await api.createKey(token, 'demo')).key;
}
