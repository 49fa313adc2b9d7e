-- Ids sort by creation time; `model` is in the index so that allowlists filter without reading rows.
CREATE INDEX tasks_by_account ON media.tasks (account_id, id DESC, model);
