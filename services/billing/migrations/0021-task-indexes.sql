-- Apart from the columns, whose lock keeps readers out too. While these are built, some seconds per ten million holds,
-- holds can be read and not written.
-- Tasks that run, in the order of the request log of an account and of that of all accounts, with the columns of its
-- filters behind. No other hold is in them.
CREATE INDEX holds_of_tasks ON billing.holds (account_id, request_id DESC, key_id, model)
  WHERE state = 'open' AND makes_task;
CREATE INDEX holds_of_all_tasks ON billing.holds (request_id DESC, key_id, model)
  WHERE state = 'open' AND makes_task;
