import path from 'node:path';
import { grpcSettings, parseEnv, port, processSettings, z } from '@gateway/process';

const shape = {
  ...processSettings,
  ...grpcSettings,
  GRPC_PORT: port(7101),
  DATABASE_URL: z.string().min(1),
  /** Folder of `*.json` files with the initial models of a new catalog. */
  CATALOG_SEED_DIR: z.string().default(path.join(__dirname, '../../../deploy/catalog')),
};

export const readSettings = (env: NodeJS.ProcessEnv) => parseEnv(shape, env);
