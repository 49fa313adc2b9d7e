import type { StoredFile } from '../files/store/files';

/** The path of a file, and its rest: `/content` or `/delete`, if any. */
const FILE_PATH = /^\/v1\/files\/([^/]+)(\/[a-z_]+)?$/;

/** Ids are compared as they are: none of the gateway's needs an encoding. */
export const fileIdOf = (path: string): string => FILE_PATH.exec(path)?.[1] ?? '';

/** Returns a file as OpenAI's API has it. */
export const fileObject = ({ id, bytes, createdAt, expiresAt, filename, purpose }: StoredFile) => ({
  id,
  object: 'file',
  bytes,
  created_at: Math.floor(createdAt.getTime() / 1_000),
  expires_at: Math.floor(expiresAt.getTime() / 1_000),
  filename,
  purpose,
  // Deprecated, and required by OpenAI's schema.
  status: 'processed',
});
