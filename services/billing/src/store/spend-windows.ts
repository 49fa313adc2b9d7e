/** Joins a key `k` to what was spent on the day `t.day`: as `key_day`, `key_month` and `account_day`. */
export const WINDOWS_OF_KEY = `LEFT JOIN billing.spend_windows key_day
  ON key_day.kind = 'key_day' AND key_day.subject_id = k.id AND key_day.starts_on = t.day
LEFT JOIN billing.spend_windows key_month
  ON key_month.kind = 'key_month' AND key_month.subject_id = k.id
  AND key_month.starts_on = billing.month_of(t.day)
LEFT JOIN billing.spend_windows account_day
  ON account_day.kind = 'account_day' AND account_day.subject_id = k.account_id
  AND account_day.starts_on = t.day`;
