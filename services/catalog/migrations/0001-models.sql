-- The revision counter of the catalog. Every change takes the next value under this row's lock, so that revisions
-- become visible in ascending order.
CREATE TABLE catalog.revision (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  value bigint NOT NULL
);
INSERT INTO catalog.revision (value) VALUES (0);

CREATE TABLE catalog.models (
  slug text PRIMARY KEY CHECK (slug ~ '^[a-z0-9][a-z0-9._-]*/[a-z0-9][a-z0-9._-]*$'),
  name text NOT NULL,
  status text NOT NULL CHECK (status IN ('active', 'disabled', 'delisted')),
  preview boolean NOT NULL,
  successor text REFERENCES catalog.models (slug) DEFERRABLE INITIALLY DEFERRED,
  input_modalities text[] NOT NULL,
  output_modalities text[] NOT NULL,
  context_length int NOT NULL,
  max_output_tokens int NOT NULL,
  output_floor_tokens int NOT NULL,
  capabilities text[] NOT NULL,
  workflow text[] NOT NULL,
  -- [{provider, upstream_model, weight, priority}]
  targets jsonb NOT NULL,
  -- The price version of new calls.
  price_version bigint NOT NULL,
  revision bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX models_revision ON catalog.models (revision);

-- Settled calls refer to their price version, so versions are inserted and never changed.
CREATE TABLE catalog.price_versions (
  version bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  slug text NOT NULL REFERENCES catalog.models (slug) DEFERRABLE INITIALLY DEFERRED,
  -- Amounts are decimal strings of integer nano-USD.
  pricing jsonb NOT NULL,
  source text NOT NULL,
  source_date date NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (slug, version)
);

ALTER TABLE catalog.models
  ADD CONSTRAINT models_price_version FOREIGN KEY (slug, price_version)
  REFERENCES catalog.price_versions (slug, version) DEFERRABLE INITIALLY DEFERRED;

CREATE FUNCTION catalog.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'price versions are never changed';
END
$$;
CREATE TRIGGER price_versions_insert_only
  BEFORE UPDATE OR DELETE ON catalog.price_versions
  FOR EACH ROW EXECUTE FUNCTION catalog.refuse_change();
