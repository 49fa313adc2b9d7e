-- What the service may do, in full: applied after the migrations, in place of what was granted before. A privilege is
-- taken out a version later than the code that needs it, because both versions run side by side.

GRANT SELECT, UPDATE ON catalog.revision TO :"service";
GRANT SELECT, INSERT, UPDATE ON catalog.models TO :"service";
-- Settled calls name their price version for ever.
GRANT SELECT, INSERT ON catalog.price_versions TO :"service";
-- A trigger writes it, as the owner.
GRANT SELECT ON catalog.model_names TO :"service";
