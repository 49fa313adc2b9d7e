-- Providers that operators connect, in addition to those of the services' environment.
CREATE TABLE catalog.providers (
  id text PRIMARY KEY CHECK (id ~ '^[a-z0-9][a-z0-9._-]{0,62}$'),
  kind text NOT NULL,
  name text NOT NULL,
  base_url text NOT NULL,
  -- Sent with every request; {"name": "value"}.
  headers jsonb NOT NULL,
  enabled boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE catalog.credentials (
  id uuid PRIMARY KEY,
  provider_id text NOT NULL REFERENCES catalog.providers (id) ON DELETE CASCADE,
  name text NOT NULL,
  -- Encrypted with the data key that it contains (packages/secrets); its context is the credential's id.
  sealed_secret bytea,
  -- A reference that chat and media resolve: `env:CREDENTIAL_…` or `file:…`.
  secret_ref text,
  -- What operators see of the secret.
  hint text NOT NULL,
  -- Part of the provider's calls, relative to its other credentials.
  weight int NOT NULL CHECK (weight BETWEEN 0 AND 1000000),
  enabled boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((sealed_secret IS NULL) <> (secret_ref IS NULL)),
  UNIQUE (provider_id, name)
);

-- Counts the changes of providers and credentials; its row is their lock.
CREATE TABLE catalog.provider_revision (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  value bigint NOT NULL
);
INSERT INTO catalog.provider_revision (value) VALUES (0);
