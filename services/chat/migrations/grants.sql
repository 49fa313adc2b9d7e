-- All privileges of the service: applied after the migrations, replacing earlier grants. Remove a privilege one version
-- after the code that needs it, because two versions run side by side during a rollout.

GRANT SELECT, INSERT, UPDATE, DELETE ON chat.journal_owners, chat.journal TO :"service";
