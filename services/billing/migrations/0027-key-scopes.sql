ALTER TABLE billing.keys
  -- What the key may be used for. Empty: everything.
  ADD COLUMN scopes text[] NOT NULL DEFAULT '{}',
  -- Addresses and CIDR ranges from which its values may be used. Empty: every address.
  ADD COLUMN allowed_ips text[] NOT NULL DEFAULT '{}',
  -- Fields that an owner has limited, which members can't change.
  ADD COLUMN owner_limits text[] NOT NULL DEFAULT '{}',
  -- Users to whom a value was shown that may still be valid. Unknown for keys that are older than this column.
  ADD COLUMN holder_ids text[] NOT NULL DEFAULT '{}';
