import { type DatabaseService, migrateSchema, serviceLogins } from '@gateway/local-stack';

/** Migrates a service's schema in a test's database; returns the URL with the service's login. */
export async function createServiceDatabase(service: DatabaseService, ownerUrl: string): Promise<string> {
  const url = (await serviceLogins(ownerUrl, 'a secret for tests only'))[service];
  await migrateSchema(service, ownerUrl, url);
  return url;
}
