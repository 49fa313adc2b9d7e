import { hkdfSync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readJsonFile, writeJsonFile } from './engines/json-file';

export interface StackSecrets {
  readonly keyPepper: string;
  /** Ed25519 seed, base64url. */
  readonly jwtSigningKey: string;
  /** The secrets of pairs of services are derived from it; no service has it. */
  readonly serviceSecret: string;
  /** AES-256 key that encrypts the credentials of providers, base64. */
  readonly credentialsKey: string;
  /** AES-256 key that encrypts stored responses, base64. */
  readonly storageKey: string;
  /** The services' PostgreSQL passwords are derived from it if the owner has no password. */
  readonly databaseSecret: string;
  readonly adminEmail: string;
  readonly adminPassword: string;
  /** Password of the account that `npm start` creates. */
  readonly demoPassword: string;
}

const random = (bytes = 24) => randomBytes(bytes).toString('base64url');

/** Returns a secret that depends on its name, and tells nothing about others. */
export function derivedSecret(secret: string, name: string): string {
  return Buffer.from(hkdfSync('sha256', secret, '', name, 32)).toString('base64url');
}

/** Returns the configured secrets, and for others those generated on the first start, which are stored in the data folder. */
export function loadSecrets(dataDir: string, env: NodeJS.ProcessEnv): StackSecrets {
  const file = join(dataDir, 'secrets.json');
  const kept = readJsonFile<StackSecrets>(file) ?? {};
  const all: StackSecrets = { ...generateSecrets(), ...kept };
  if (Object.keys(kept).length < Object.keys(all).length) writeJsonFile(file, all);
  return {
    ...all,
    keyPepper: env.KEY_PEPPER || all.keyPepper,
    jwtSigningKey: env.JWT_SIGNING_KEY || all.jwtSigningKey,
    serviceSecret: env.SERVICE_SECRET || all.serviceSecret,
    credentialsKey: env.CREDENTIALS_KEY || all.credentialsKey,
    storageKey: env.STORAGE_KEY || all.storageKey,
    adminEmail: env.ADMIN_EMAIL || all.adminEmail,
    adminPassword: env.ADMIN_PASSWORD || all.adminPassword,
  };
}

function generateSecrets(): StackSecrets {
  return {
    keyPepper: random(),
    jwtSigningKey: random(32),
    serviceSecret: random(),
    credentialsKey: randomBytes(32).toString('base64'),
    storageKey: randomBytes(32).toString('base64'),
    databaseSecret: random(),
    adminEmail: 'admin@gateway.local',
    adminPassword: random(),
    demoPassword: random(),
  };
}
