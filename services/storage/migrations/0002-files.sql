-- Files of `POST /v1/files`, until they expire or their account deletes them. Their content is in the object store, under the same id: an
-- object exists only while its row does, so that none is left behind.
CREATE TABLE storage.files (
  id text COLLATE "C" PRIMARY KEY,
  account_id text NOT NULL,
  -- JSON of the content's data key and the file's name, encrypted (packages/secrets); the context is `file <account> <id>`.
  -- Null while the file is being uploaded.
  sealed_details bytea,
  purpose text,
  -- Of the content before encryption.
  bytes bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Of an upload: when it is given up.
  expires_at timestamptz NOT NULL
);
CREATE INDEX files_by_account ON storage.files (account_id, id);
CREATE INDEX files_by_expiry ON storage.files (expires_at);
