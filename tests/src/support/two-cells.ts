import { migrateSchema, serviceLogins } from '@gateway/local-stack';
import { createTestDatabase, freePort } from '@gateway/testing';
import { type System, startSystem } from './system';

export interface TwoCells {
  readonly system: System;
  /** Of home and of cell `b`, as are billing's instances. */
  readonly databaseUrls: readonly [string, string];
  stop(): Promise<void>;
}

/** Billings have addresses of their own, so that nothing else takes their ports. Other runs have other networks. */
const network = `127.${1 + (process.pid % 250)}.${(process.pid >> 8) % 250}`;
const hostOf = (index: number) => `${network}.${30 + index}`;

/** Starts a gateway with the cells `home` and `b`; new accounts are put into either at random. */
export async function startTwoCells(): Promise<TwoCells> {
  const database = await createTestDatabase();
  try {
    const { billing: otherUrl } = await serviceLogins(database.url, 'a secret for tests only');
    await migrateSchema('billing', database.url, otherUrl);
    const ports = await Promise.all([0, 1].map((index) => freePort(hostOf(index))));
    const addressOf = (index: number) => `${hostOf(index)}:${ports[index]}`;
    const cells = { BILLING_ADDR: addressOf(0), CELLS: 'b', BILLING_ADDR_B: addressOf(1) };
    const system = await startSystem({
      autoRestart: false,
      instances: { billing: 2 },
      settings: {
        edge: cells,
        chat: cells,
        media: cells,
        storage: cells,
        dashboard: { ...cells, NEW_ACCOUNT_CELLS: 'home,b' },
      },
      instanceSettings: (service, index) =>
        service === 'billing'
          ? {
              BIND_HOST: hostOf(index),
              GRPC_PORT: String(ports[index]),
              ...(index === 1 && { CELL: 'b', DATABASE_URL: otherUrl }),
            }
          : {},
    });
    return {
      system,
      databaseUrls: [system.stack.engines.databaseUrl, database.url],
      async stop() {
        await system.stop();
        await database.drop();
      },
    };
  } catch (error) {
    await database.drop();
    throw error;
  }
}
