-- Other names of a model. NULL: the row is older than this column; the seed may fill it.
ALTER TABLE catalog.models ADD COLUMN aliases text[];

-- Every name of a model, slug or alias; no two models share a name. A trigger maintains this table, so that it stays
-- correct when instances of an older version write models.
CREATE TABLE catalog.model_names (
  name text PRIMARY KEY,
  slug text NOT NULL REFERENCES catalog.models (slug)
);
INSERT INTO catalog.model_names (name, slug) SELECT slug, slug FROM catalog.models;

CREATE FUNCTION catalog.set_model_names() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM catalog.model_names WHERE slug = NEW.slug;
  INSERT INTO catalog.model_names (name, slug)
  SELECT unnest(NEW.slug || coalesce(NEW.aliases, '{}')), NEW.slug;
  RETURN NULL;
END
$$;
CREATE TRIGGER models_names
  AFTER INSERT OR UPDATE OF aliases ON catalog.models
  FOR EACH ROW EXECUTE FUNCTION catalog.set_model_names();
