import { parseEnv, port, processSettings, z } from '@gateway/process';

const reader = {
  ...processSettings,
  HTTP_PORT: port(7199),
  KLING_SECRET_KEY: z.string().min(1).default('simulated'),
};

export const readSettings = (env: NodeJS.ProcessEnv) => parseEnv(reader, env);
