import type { Settings } from '../../settings';
import { FolderStore } from './folder-store';
import type { ObjectStore, StoreOperation } from './object-store';
import { S3Store } from './s3-store';

/** Returns the store of the settings. @throws SettingsError if its folder can't be used */
export async function openObjectStore(
  settings: Settings,
  onFailure: (operation: StoreOperation) => void,
): Promise<ObjectStore> {
  const { FILE_S3_BUCKET: bucket, FILE_S3_ACCESS_KEY_ID: accessKeyId } = settings;
  if (bucket === undefined) return FolderStore.open(settings.FILE_DIR);
  const { FILE_S3_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  return S3Store.open({
    bucket,
    prefix: settings.FILE_S3_PREFIX,
    endpoint: settings.FILE_S3_ENDPOINT,
    region: settings.FILE_S3_REGION,
    pathStyle: settings.FILE_S3_PATH_STYLE === 'on',
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined,
    timeoutMs: settings.FILE_S3_TIMEOUT_MS,
    onFailure,
  });
}
