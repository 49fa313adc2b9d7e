-- When and why a key was revoked; null: not revoked, or revoked before this was recorded.
ALTER TABLE billing.keys
  ADD COLUMN revoked_at timestamptz,
  ADD COLUMN revoke_reason text;
