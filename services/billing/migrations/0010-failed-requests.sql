-- The failed calls, whatever their error: a walk in the order of a page over them alone. Columns of other filters behind.
CREATE INDEX usage_records_failed ON billing.usage_records (account_id, request_id DESC, key_id, model, status)
  WHERE error_code <> '';
