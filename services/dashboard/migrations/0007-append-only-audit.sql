-- The audit log can only be appended to: a change is an entry, written before it, and an outcome, written after it. A change
-- without an outcome is in progress, or was interrupted.
ALTER TABLE dashboard.audit RENAME TO audit_entries;
CREATE INDEX audit_by_time ON dashboard.audit_entries (created_at);

-- Entries of events have no outcome, nor have changes made by earlier versions: their `done` is true.
CREATE TABLE dashboard.audit_outcomes (
  seq bigint PRIMARY KEY REFERENCES dashboard.audit_entries ON DELETE CASCADE,
  outcome text NOT NULL CHECK (outcome IN ('done', 'refused')),
  -- Of a refused change; null: refused by a version that kept no code.
  error_code text,
  -- The affected account, if the entry has none because the change revealed it.
  account_id text,
  subject text,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX audit_outcomes_by_account ON dashboard.audit_outcomes (account_id, seq DESC) WHERE account_id IS NOT NULL;

-- For the version before, which updates and deletes entries: either appends an outcome, and a finished entry can't be changed.
-- Drop the view, its functions and its privileges in the next version.
CREATE VIEW dashboard.audit AS
  SELECT seq, coalesce(e.account_id, o.account_id) AS account_id, actor_id, actor_email, by_operator, action,
    coalesce(o.subject, e.subject) AS subject, changes, done OR o.outcome IS NOT NULL AS done, request_id, e.created_at, address
  FROM dashboard.audit_entries e LEFT JOIN dashboard.audit_outcomes o USING (seq)
  WHERE o.outcome IS DISTINCT FROM 'refused';

CREATE FUNCTION dashboard.append_audit_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO dashboard.audit_entries
    (account_id, actor_id, actor_email, by_operator, action, changes, request_id, address, done, subject)
  VALUES (NEW.account_id, NEW.actor_id, NEW.actor_email, NEW.by_operator, NEW.action, NEW.changes, NEW.request_id, NEW.address,
    NEW.done, NEW.subject)
  RETURNING seq, created_at INTO NEW.seq, NEW.created_at;
  RETURN NEW;
END $$;

CREATE FUNCTION dashboard.append_audit_outcome() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.done THEN
    RAISE 'an entry of the audit log can not be changed' USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF TG_OP = 'DELETE' THEN
    INSERT INTO dashboard.audit_outcomes (seq, outcome) VALUES (OLD.seq, 'refused');
    RETURN OLD;
  END IF;
  INSERT INTO dashboard.audit_outcomes (seq, outcome, account_id, subject)
  VALUES (OLD.seq, 'done', CASE WHEN OLD.account_id IS NULL THEN NEW.account_id END, NEW.subject);
  RETURN NEW;
END $$;

CREATE TRIGGER append_entry INSTEAD OF INSERT ON dashboard.audit
  FOR EACH ROW EXECUTE FUNCTION dashboard.append_audit_entry();
CREATE TRIGGER append_outcome INSTEAD OF UPDATE OR DELETE ON dashboard.audit
  FOR EACH ROW EXECUTE FUNCTION dashboard.append_audit_outcome();
