-- All privileges of the service: applied after the migrations, replacing earlier grants. Remove a privilege one version
-- after the code that needs it, because two versions run side by side during a rollout.

-- Updated when content is encrypted with another key.
GRANT SELECT, INSERT, UPDATE, DELETE ON storage.responses TO :"service";
GRANT SELECT, INSERT, UPDATE, DELETE ON storage.files TO :"service";
GRANT SELECT, INSERT, UPDATE, DELETE ON storage.batches TO :"service";
GRANT SELECT, INSERT, UPDATE, DELETE ON storage.batch_calls TO :"service";
GRANT SELECT, INSERT, UPDATE, DELETE ON storage.background_calls TO :"service";
