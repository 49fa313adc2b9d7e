import { generateKeyPairSync, type KeyObject } from 'node:crypto';

export interface GeneratedAccount {
  readonly email: string;
  /** As an operator stores it. */
  readonly json: string;
  readonly publicKey: KeyObject;
}

/** Returns a service account with a new key. */
export function generateServiceAccount(members: object = {}): GeneratedAccount {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const email = 'gateway@project-x.iam.gserviceaccount.com';
  const key = {
    type: 'service_account',
    project_id: 'project-x',
    private_key_id: '0123456789abcdef',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    client_email: email,
    token_uri: 'https://oauth2.googleapis.com/token',
    ...members,
  };
  return { email, json: JSON.stringify(key, undefined, 2), publicKey };
}
