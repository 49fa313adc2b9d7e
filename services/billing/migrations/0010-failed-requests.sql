-- All failed calls, in the order of the list, followed by the columns of other filters.
CREATE INDEX usage_records_failed ON billing.usage_records (account_id, request_id DESC, key_id, model, status)
  WHERE error_code <> '';
