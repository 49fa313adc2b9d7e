-- What the service may do, in full: applied after the migrations, in place of what was granted before. A privilege is
-- taken out a version later than the code that needs it, because both versions run side by side.

GRANT SELECT, INSERT, UPDATE, DELETE ON media.instances, media.bills, media.idempotency, media.tasks TO :"service";
