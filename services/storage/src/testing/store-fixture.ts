import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { types } from 'node:util';
import { S3_BUCKET, S3_SERVER, type S3Server, startS3Server } from '@gateway/testing';
import { describe } from '@jest/globals';
import { FolderStore } from '../files/store/folder-store';
import type { ObjectStore, StoreOperation } from '../files/store/object-store';
import { type S3Options, S3Store } from '../files/store/s3-store';

/** In jest's sandbox, errors of sockets are no instances of `Error`, and the SDK would neither retry nor report them. */
Object.defineProperty(Error, Symbol.hasInstance, {
  value(this: unknown, error: unknown) {
    return this === Error
      ? types.isNativeError(error)
      : Function.prototype[Symbol.hasInstance].call(this, error);
  },
});

export interface StoreFixture {
  readonly store: ObjectStore;
  /** Has a file for each object. */
  readonly folder: string;
  /** The names of what is stored, parts of unfinished uploads included. */
  objects(): string[];
  clear(): void;
  cleanUp(): Promise<void>;
}

/** Returns a store on that server, and the operations that have failed. */
export async function openS3Store(
  { endpoint, accessKeyId, secretAccessKey }: S3Server,
  options: Partial<S3Options> = {},
): Promise<{ store: S3Store; failures: StoreOperation[] }> {
  const failures: StoreOperation[] = [];
  const store = await S3Store.open({
    bucket: S3_BUCKET,
    prefix: '',
    endpoint,
    region: 'us-east-1',
    pathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
    timeoutMs: 10_000,
    onFailure: (operation) => failures.push(operation),
    ...options,
  });
  return { store, failures };
}

/** Describes what all stores have in common. */
export function describeStores(title: string, tests: (open: () => Promise<StoreFixture>) => void): void {
  describe(`${title} in a folder`, () => tests(openInFolder));
  describeWithS3(`${title} in a bucket`, () => tests(openInBucket));
}

/** Skipped without TEST_S3_SERVER. */
export const describeWithS3 = S3_SERVER ? describe : describe.skip;

async function openInFolder(): Promise<StoreFixture> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gateway-files-'));
  const store = await FolderStore.open(folder);
  return {
    store,
    folder,
    objects: () => readdirSync(folder).sort(),
    clear: () => clearFolder(folder),
    cleanUp: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function openInBucket(): Promise<StoreFixture> {
  const server = await startS3Server();
  const { store } = await openS3Store(server);
  return {
    store,
    folder: server.folder,
    objects: () => server.files().sort(),
    clear: () => clearFolder(server.folder),
    async cleanUp() {
      store.close();
      await server.stop();
    },
  };
}

function clearFolder(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(path.join(folder, name), { recursive: true, force: true });
}
