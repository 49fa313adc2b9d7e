-- All privileges of the service: applied after the migrations, replacing earlier grants. Remove a privilege one version
-- after the code that needs it, because two versions run side by side during a rollout.

GRANT SELECT, UPDATE ON catalog.revision TO :"service";
GRANT SELECT, INSERT, UPDATE ON catalog.models TO :"service";
-- Settled calls refer to their price version.
GRANT SELECT, INSERT ON catalog.price_versions TO :"service";
-- Written by a trigger that runs as the owner.
GRANT SELECT ON catalog.model_names TO :"service";

GRANT SELECT, UPDATE ON catalog.provider_revision TO :"service";
GRANT SELECT, INSERT, UPDATE, DELETE ON catalog.providers, catalog.credentials TO :"service";
GRANT SELECT, INSERT, UPDATE, DELETE ON catalog.credential_costs TO :"service";
