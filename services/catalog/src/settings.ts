import path from 'node:path';
import { parseEnv, port, processSettings, z } from '@gateway/process';
import { localAddressSettings } from '@gateway/providers';
import { trustSettings } from '@gateway/rpc';
import { credentialsKey } from '@gateway/secrets';

const shape = {
  ...processSettings,
  ...trustSettings('catalog'),
  ...localAddressSettings,
  GRPC_PORT: port(7101),
  DATABASE_URL: z.string().min(1),
  /** For notifications, which PgBouncer does not forward; absent: `DATABASE_URL`. */
  DATABASE_DIRECT_URL: z.string().min(1).optional(),
  /** Keys that encrypt provider credentials: the first encrypts, all decrypt. Absent: only references to secrets are accepted. */
  CREDENTIALS_KEY: credentialsKey().optional(),
  /** Public price list for reviews by operators, models.dev's or LiteLLM's: an https URL, a file or `none`. */
  PRICE_LIST: z.string().default('https://models.dev/api.json'),
  /** Folder of `*.json` files with the initial models of a new catalog. */
  CATALOG_SEED_DIR: z.string().default(path.join(__dirname, '../../../deploy/catalog')),
};

export const readSettings = (env: NodeJS.ProcessEnv) => parseEnv(shape, env);
